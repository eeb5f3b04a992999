import type { ProjectFile } from "@backplane/contract/panels";

/** The last part of a path. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Everything before the last part, with the slash. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);

/** The extension in lower case, without the dot. */
export const extensionOf = (path: string): string => {
  const name = nameOf(path);
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot + 1).toLowerCase();
};

const KILO = 1_024;

/** 812 B, 1.4 kB, 3.2 MB */
export function sizeWords(bytes: number): string {
  if (bytes < KILO) return `${bytes} B`;
  if (bytes < KILO * KILO) return `${tenths(bytes / KILO)} kB`;
  return `${tenths(bytes / KILO / KILO)} MB`;
}

const tenths = (value: number): string => (value < 10 ? value.toFixed(1) : Math.round(value).toString());

/** Resolves a path such as `../a.bin` from another file; undefined when it would be outside the project. */
export function resolvePath(from: string, relative: string): string | undefined {
  const parts = folderOf(from).split("/").slice(0, -1);
  for (const part of relative.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.length === 0 ? undefined : parts.join("/");
}

/** Files that match what was typed. Names that start with it come first, then names that contain it, then paths. */
export function filterFiles(files: readonly ProjectFile[], typed: string): ProjectFile[] {
  const words = typed.trim().toLowerCase();
  if (words === "") return [...files];
  return files
    .map((file) => ({ file, rank: rankOf(file.path.toLowerCase(), words) }))
    .filter(({ rank }) => rank < NO_MATCH)
    .sort((a, b) => a.rank - b.rank)
    .map(({ file }) => file);
}

const NO_MATCH = 4;

function rankOf(path: string, words: string): number {
  const name = nameOf(path);
  if (name.startsWith(words)) return 0;
  if (name.includes(words)) return 1;
  if (path.includes(words)) return 2;
  return hasInOrder(path, words) ? 3 : NO_MATCH;
}

function hasInOrder(path: string, letters: string): boolean {
  let at = 0;
  for (const letter of letters) {
    at = path.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

import type { ProjectFile } from "@backplane/contract/panels";
import { nameOf } from "./path-words.ts";

/** Files whose path has what was typed: those first whose name begins with it, then has it, then the others. */
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

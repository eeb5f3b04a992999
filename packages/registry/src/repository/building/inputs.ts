import { type Dirent, readdirSync, statSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import type { Package } from "@backplane/contract/registry";
import type { Note } from "../../metadata/read.ts";
import type { SignedFile } from "../../signing/signed-index.ts";
import { byCodeUnit } from "../../values.ts";
import { isOurs } from "./places.ts";

/** Facts about an archive, in addition to its metadata. */
export type SourceArchive = {
  sha256: string;
  size: number;
  installSize: number;
  manifest: SignedFile;
  /** The sha256 of its icon. */
  icon?: string;
  /** Its path in the repository's folder, if it is already there and stays there. */
  place?: string;
};

/** A package as one input file describes it, in the neutral spelling. From an archive it has exactly one version. */
export type Source = { file: string; package: Package; archive?: SourceArchive };

/** What an input file holds, with warnings; or its faults. */
export type ReadInput = { sources: Source[]; notes: Note[] } | { faults: Note[] };

/** A fault in an input file, by the name that the user gave. */
export const faultOf = (file: string, rule: string, message: string): Note => ({
  level: "error",
  rule,
  path: file,
  message,
});

export type Input = {
  path: string;
  /** As the user named it. */
  shown: string;
  kind: "archive" | "metadata";
  /** Its path inside the repository's folder, with slashes, if it is there. */
  place?: string;
};

/** Every archive and metadata file in the given folders and files, once each, by path. Files of a build are skipped. */
export function findInputs(from: readonly string[], out: string): { inputs: Input[]; faults: Note[] } {
  const inputs = new Map<string, Input>();
  const faults: Note[] = [];
  const below = join(resolve(out), sep);

  const add = (shown: string, path: string, kind: Input["kind"]) => {
    const place = path.startsWith(below) ? path.slice(below.length).replaceAll(sep, "/") : undefined;
    if (place !== undefined && isOurs(place)) return;
    inputs.set(path, { path, shown, kind, ...(place === undefined ? {} : { place }) });
  };
  const walk = (folder: string) => {
    const root = resolve(folder);
    for (const entry of list(folder, faults)) {
      if (entry.name.startsWith(".")) continue;
      const shown = join(folder, entry.name);
      if (entry.isDirectory()) walk(shown);
      else if (isFile(entry, shown)) {
        const kind = kindOf(entry.name);
        if (kind) add(shown, join(root, entry.name), kind);
      }
    }
  };

  for (const shown of from) {
    const stat = statSync(shown, { throwIfNoEntry: false });
    const kind = kindOf(shown);
    if (stat === undefined)
      faults.push(faultOf(shown, "not-found", "This file or folder does not exist. Check the path."));
    else if (stat.isDirectory()) walk(shown);
    else if (kind) add(shown, resolve(shown), kind);
    else
      faults.push(
        faultOf(shown, "not-a-package", "This is neither an archive (.zip) nor metadata (.json). Leave it out."),
      );
  }
  return { inputs: [...inputs.values()].sort((a, b) => byCodeUnit(a.path, b.path)), faults };
}

function list(folder: string, faults: Note[]): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    faults.push(faultOf(folder, "unreadable", `The folder cannot be read: ${(error as Error).message}`));
    return [];
  }
}

/** Links to files are followed, links to folders are not, because they could form a loop. */
const isFile = (entry: Dirent, path: string): boolean =>
  entry.isFile() || (entry.isSymbolicLink() && statSync(path, { throwIfNoEntry: false })?.isFile() === true);

function kindOf(name: string): Input["kind"] | undefined {
  const lower = name.toLowerCase();
  if (lower.endsWith(".zip")) return "archive";
  return lower.endsWith(".json") ? "metadata" : undefined;
}

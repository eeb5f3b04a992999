import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lstatIfExists } from "./inside.ts";

/** Begins every folder that belongs to an id. No name of a person or an organisation does, so the two are never confused. */
const MARK = "@";

/** By id and not by name: a name may get another owner, and the files must not. */
export const ownerFolder = (projectsFolder: string, ownerId: string): string =>
  join(projectsFolder, `${MARK}${ownerId}`);

/** Links inside are deleted, not followed. */
export const removeOwnerFolder = (projectsFolder: string, ownerId: string): Promise<void> =>
  rm(ownerFolder(projectsFolder, ownerId), { recursive: true, force: true });

export type MoveOptions = {
  projectsFolder: string;
  /** Who has this name now. */
  idOf: (name: string) => Promise<string | undefined>;
  /** Replaced by tests that stop halfway. */
  move?: typeof rename;
};

/** Says that folders were moved. Later owners of a name must not get what the earlier ones left. */
const DONE = ".by-owner-id";
const DONE_TEXT = "Folders here go by the id of their owner. Folders without the @ are not used.\n";

/**
 * Once: moves folders of versions that kept files by name, `<name>/<repo>`, to the owner who has the name now. Those of
 * names that nobody has stay, and nobody can open them. Every step is one rename at the same depth: a process that is
 * killed leaves each project complete in one of the two places, the next start continues, and relative links stay right.
 * Returns the folders that stay because the new place already has files.
 */
export async function moveFoldersToIds({ projectsFolder, idOf, move = rename }: MoveOptions): Promise<string[]> {
  const folders = await foldersIn(projectsFolder);
  if (!folders || (await lstatIfExists(join(projectsFolder, DONE)))) return [];
  const left: string[] = [];
  for (const name of folders) {
    const id = name.startsWith(MARK) ? undefined : await idOf(name);
    if (id === undefined) continue;
    const [from, to] = [join(projectsFolder, name), ownerFolder(projectsFolder, id)];
    if (await moved(move, from, to)) continue;
    for (const repo of (await foldersIn(from)) ?? []) {
      if (!(await moved(move, join(from, repo), join(to, repo)))) left.push(join(from, repo));
    }
  }
  await writeFile(join(projectsFolder, DONE), DONE_TEXT, { mode: 0o600 });
  return left;
}

/** Undefined: there is no such folder. */
async function foldersIn(path: string): Promise<string[] | undefined> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    // An administrator may have put a link in the place of a folder.
    return entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink()).map(({ name }) => name);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

const HAS_FILES: ReadonlySet<unknown> = new Set(["ENOTEMPTY", "EEXIST", "ENOTDIR", "EISDIR"]);

async function moved(move: typeof rename, from: string, to: string): Promise<boolean> {
  try {
    await move(from, to);
    return true;
  } catch (error) {
    // Another instance that starts at the same time was faster.
    if (codeOf(error) === "ENOENT") return true;
    if (HAS_FILES.has(codeOf(error))) return false;
    throw error;
  }
}

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException).code;

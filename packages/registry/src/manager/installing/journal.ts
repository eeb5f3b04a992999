import { lstat, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { INSTALLED_FOLDERS, type InstalledFolder } from "../../archives/archive.ts";
import { isLooseIdentifier } from "../../values.ts";
import { InstallationFault, ifExists } from "../faults.ts";
import type { Disk } from "./disk.ts";
import { type Layout, manifestFile, onDisk, packageFolder } from "./layout.ts";
import type { RawEntry } from "./state-file.ts";
import { exists } from "./tree.ts";

/** Written when everything is staged. From then on the change will be finished, even after a crash. */
export type Journal = {
  format: typeof JOURNAL_FORMAT;
  identifier: string;
  /** The folders below staging and trash that belong to this change. */
  slot: string;
  /** Folders that are replaced from staging, and folders that are only removed. */
  put: InstalledFolder[];
  remove: InstalledFolder[];
  /** The entry in installed_packages.json; null removes it. */
  entry: RawEntry | null;
};

export const JOURNAL_FORMAT = "backplane-journal-1";
const MAX_JOURNAL_BYTES = 64 * 1024 * 1024;

/** What a change prepares, below `.backplane/staging/<slot>`. */
export type Slot = { name: string; folder: string; files: string; manifest: string; spare: string; trash: string };

export function slotOf(layout: Layout, name: string): Slot {
  const folder = join(layout.staging, name);
  return {
    name,
    folder,
    files: join(folder, "files"),
    manifest: join(folder, "manifest.json"),
    spare: join(folder, "spare"),
    trash: join(layout.trash, name),
  };
}

export function movesOf(layout: Layout, { identifier, slot, put, remove, entry }: Journal): Move[] {
  const { files, manifest, trash } = slotOf(layout, slot);
  const target = (folder: InstalledFolder) => onDisk(layout.root, packageFolder(folder, identifier));
  return [
    ...put.map((folder) => ({ target: target(folder), staged: join(files, folder), trash: join(trash, folder) })),
    ...remove.map((folder) => ({ target: target(folder), trash: join(trash, folder) })),
    {
      target: manifestFile(layout, identifier),
      ...(entry === null ? {} : { staged: manifest }),
      trash: join(trash, basename(manifest)),
    },
  ];
}

export async function writeJournal(disk: Disk, layout: Layout, journal: Journal): Promise<void> {
  const { spare } = slotOf(layout, journal.slot);
  await disk.writeFile(spare, Buffer.from(JSON.stringify(journal)));
  await disk.rename(spare, layout.journal);
  await disk.flushFolder(layout.own);
}

export async function readJournal(layout: Layout): Promise<Journal | undefined> {
  const stats = await ifExists(lstat(layout.journal));
  if (stats === undefined) return undefined;
  const text = stats.isFile() && stats.size <= MAX_JOURNAL_BYTES ? await readFile(layout.journal, "utf8") : "";
  const journal = parse(text);
  if (journal !== undefined) return journal;
  const message = `${layout.journal} cannot be read, so an interrupted change cannot be finished. Nothing was changed. Restore that file. Or copy ${layout.staging} and ${layout.trash} elsewhere, because they may hold the only copies of your files and will be emptied; then delete the file and repair the package.`;
  throw new InstallationFault("journal-damaged", message, { path: layout.journal });
}

function parse(text: string): Journal | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { format, identifier, slot, put, remove, entry } = (value ?? {}) as Partial<Record<keyof Journal, unknown>>;
  if (format !== JOURNAL_FORMAT || typeof identifier !== "string" || !isLooseIdentifier(identifier)) return undefined;
  if (typeof slot !== "string" || !/^[0-9]{1,9}$/.test(slot)) return undefined;
  if (!areFolders(put) || !areFolders(remove) || typeof entry !== "object") return undefined;
  return { format, identifier, slot, put, remove, entry: entry as RawEntry | null };
}

const areFolders = (value: unknown): value is InstalledFolder[] =>
  Array.isArray(value) && value.every((folder) => (INSTALLED_FOLDERS as readonly unknown[]).includes(folder));

/** `target` moves to `trash`, and `staged` takes its place. Without `staged` the target is only removed. */
type Move = { target: string; staged?: string; trash: string };

/**
 * Can be run again after any interruption, because the places of the files show how far it came. Node cannot swap two
 * folders in one step: between the two renames nothing is at the target.
 */
export async function moveForward(disk: Disk, { target, staged, trash }: Move): Promise<void> {
  if (staged === undefined) {
    if (!(await exists(trash)) && (await exists(target))) await disk.rename(target, trash);
    return;
  }
  if (!(await exists(staged))) return;
  if (await exists(target)) await disk.rename(target, await freeName(trash));
  await disk.rename(staged, target);
}

/** The reverse. A forward move after any part of it still ends correctly. */
export async function moveBack(disk: Disk, { target, staged, trash }: Move): Promise<void> {
  if (staged !== undefined && !(await exists(staged)) && (await exists(target))) await disk.rename(target, staged);
  if (await exists(trash)) await disk.rename(trash, target);
}

export async function flushMoves(disk: Disk, moves: readonly Move[]): Promise<void> {
  const paths = moves.flatMap(({ target, staged, trash }) => [
    target,
    trash,
    ...(staged === undefined ? [] : [staged]),
  ]);
  for (const folder of new Set(paths.map((path) => dirname(path)))) {
    if (await exists(folder)) await disk.flushFolder(folder);
  }
}

/** Needed only if another program put something at the target after an interruption. */
async function freeName(trash: string): Promise<string> {
  let name = trash;
  for (let number = 1; await exists(name); number++) name = `${trash}.${number}`;
  return name;
}

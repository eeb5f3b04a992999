import { lstat, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { INSTALLED_FOLDERS, type InstalledFolder } from "../../archives/archive.ts";
import { isLooseIdentifier } from "../../values.ts";
import { InstallationFault, ifThere } from "../faults.ts";
import type { Disk } from "./disk.ts";
import { type Layout, manifestFile, onDisk, packageFolder } from "./layout.ts";
import type { RawEntry } from "./state-file.ts";
import { isThere } from "./tree.ts";

/**
 * Written when everything is staged: from then on the change happens, whatever happens. Before, it did not.
 */
export type Journal = {
  format: typeof JOURNAL_FORMAT;
  identifier: string;
  /** The folders below staging and trash that belong to this change. */
  slot: string;
  /** Folders that come from staging, and those that only go. */
  put: InstalledFolder[];
  remove: InstalledFolder[];
  /** Of installed_packages.json; null: it has none afterwards. */
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
  const stats = await ifThere(lstat(layout.journal));
  if (stats === undefined) return undefined;
  const text = stats.isFile() && stats.size <= MAX_JOURNAL_BYTES ? await readFile(layout.journal, "utf8") : "";
  const journal = parse(text);
  if (journal !== undefined) return journal;
  const message = `${layout.journal} cannot be read, so that a change which was cut off cannot be finished. Nothing was touched. Restore that file; or copy ${layout.staging} and ${layout.trash} elsewhere, which may have the only copies of your files and are emptied next, then remove it and repair the package.`;
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

/** What is at `target` goes to `trash`, and what is staged takes its place. Without `staged` it only goes. */
type Move = { target: string; staged?: string; trash: string };

/**
 * Where each thing is tells how far it came, so that this can be run again after having been cut off anywhere. Node
 * cannot exchange two folders in one step: between two renames nothing is at the target.
 */
export async function moveForward(disk: Disk, { target, staged, trash }: Move): Promise<void> {
  if (staged === undefined) {
    if (!(await isThere(trash)) && (await isThere(target))) await disk.rename(target, trash);
    return;
  }
  if (!(await isThere(staged))) return;
  if (await isThere(target)) await disk.rename(target, await freeName(trash));
  await disk.rename(staged, target);
}

/** The same from the other end; a forward move after any part of it still ends where it should. */
export async function moveBack(disk: Disk, { target, staged, trash }: Move): Promise<void> {
  if (staged !== undefined && !(await isThere(staged)) && (await isThere(target))) await disk.rename(target, staged);
  if (await isThere(trash)) await disk.rename(trash, target);
}

export async function flushMoves(disk: Disk, moves: readonly Move[]): Promise<void> {
  const paths = moves.flatMap(({ target, staged, trash }) => [
    target,
    trash,
    ...(staged === undefined ? [] : [staged]),
  ]);
  for (const folder of new Set(paths.map((path) => dirname(path)))) {
    if (await isThere(folder)) await disk.flushFolder(folder);
  }
}

/** Taken only when another program put something at the target after this was cut off. */
async function freeName(trash: string): Promise<string> {
  let name = trash;
  for (let number = 1; await isThere(name); number++) name = `${trash}.${number}`;
  return name;
}

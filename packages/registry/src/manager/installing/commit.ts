import { lstat, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InstallationFault, ifExists, systemCode } from "../faults.ts";
import type { Disk } from "./disk.ts";
import {
  flushMoves,
  type Journal,
  moveBack,
  moveForward,
  movesOf,
  readJournal,
  slotOf,
  writeJournal,
} from "./journal.ts";
import type { Layout } from "./layout.ts";
import { readState, type State, withEntry } from "./state-file.ts";
import { exists, removeTree } from "./tree.ts";

export type Site = { layout: Layout; disk: Disk };

/** The previous installed_packages.json; absent if it was not written. */
type Undo = { state?: State };

/** Call when everything is staged. Either the whole change is made, or an error is thrown and nothing changed. */
export async function commit(site: Site, journal: Journal): Promise<void> {
  const undo: Undo = {};
  try {
    await writeJournal(site.disk, site.layout, journal);
    await rollForward(site, journal, undo);
    await site.disk.unlink(site.layout.journal);
  } catch (error) {
    await undoOrReport(site, journal, undo, error);
    throw error;
  }
  await tidy(site);
}

/** Finishes a change that was interrupted after its journal was written, and removes leftovers of earlier interruptions. */
export async function settle(site: Site): Promise<void> {
  const journal = await readJournal(site.layout);
  if (journal !== undefined) {
    await rollForward(site, journal, {});
    await site.disk.unlink(site.layout.journal);
  }
  await tidy(site);
}

async function rollForward({ layout, disk }: Site, journal: Journal, undo: Undo): Promise<void> {
  const slot = slotOf(layout, journal.slot);
  const moves = movesOf(layout, journal);
  for (const folder of [layout.staging, slot.folder, layout.trash, slot.trash]) await disk.makeFolder(folder);
  for (const { target, staged } of moves) {
    if (staged !== undefined) await disk.makeFolder(dirname(target));
    await refuseLink(dirname(target));
  }
  for (const move of moves) await moveForward(disk, move);
  await flushMoves(disk, moves);

  // Read as late as possible, because other programs write this file too.
  const state = await readState(layout);
  const bytes = withEntry(state, journal.identifier, journal.entry);
  if (bytes === undefined) return;
  await replaceState({ layout, disk }, bytes);
  undo.state = state;
  await disk.flushFolder(dirname(layout.state));
}

/** In one rename, so that readers see either the old or the new file. */
export async function replaceState({ layout, disk }: Site, bytes: Buffer): Promise<void> {
  await disk.writeFile(layout.stateSpare, bytes);
  await disk.rename(layout.stateSpare, layout.state);
}

async function undoOrReport(site: Site, journal: Journal, undo: Undo, error: unknown): Promise<void> {
  try {
    await rollBack(site, journal, undo);
  } catch (second) {
    const message = `${journal.identifier} could not be changed, and the change could not be undone completely: the disk reports ${systemCode(second) ?? "a fault"}. No file is lost. The next command finishes the change.`;
    const cause = new AggregateError([error, second]);
    throw new InstallationFault("unfinished", message, { identifier: journal.identifier }, { cause });
  }
}

/** The journal is removed last: if this is interrupted, the next start finishes the change instead. */
async function rollBack(site: Site, journal: Journal, { state }: Undo): Promise<void> {
  const { layout, disk } = site;
  const moves = movesOf(layout, journal);
  for (const move of moves.toReversed()) await moveBack(disk, move);
  await flushMoves(disk, moves);
  if (state !== undefined) {
    if (state.bytes === undefined) await ifExists(disk.unlink(layout.state));
    else await replaceState(site, state.bytes);
    await disk.flushFolder(dirname(layout.state));
  }
  await ifExists(disk.unlink(layout.journal));
  await tidy(site);
}

/**
 * Only without a journal. What cannot be removed now is tried again next time; the change itself is done or undone.
 */
export async function tidy({ layout, disk }: Site): Promise<void> {
  try {
    // If a power cut brings the journal back, it must find its files.
    await disk.flushFolder(layout.own);
    for (const folder of [layout.staging, layout.trash]) {
      for (const name of (await ifExists(readdir(folder))) ?? []) await removeTree(disk, join(folder, name));
    }
    if (await exists(layout.stateSpare)) await disk.unlink(layout.stateSpare);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}

/** Folders of the installation must be real: nothing is moved or deleted through a link. */
export async function refuseLink(folder: string): Promise<void> {
  const stats = await ifExists(lstat(folder));
  if (stats === undefined || stats.isDirectory()) return;
  const what = stats.isSymbolicLink() ? "a symbolic link" : "not a folder";
  const message = `${folder} is ${what}. Nothing was changed. Replace it by a real folder, then try again.`;
  throw new InstallationFault("link-in-the-way", message, { path: folder });
}

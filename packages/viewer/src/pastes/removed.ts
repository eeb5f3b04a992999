import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { PASTE_ID_PATTERN, type Paste } from "@backplane/contract/viewer";
import { Problem } from "@backplane/kit/problems";
import { currentRecord } from "./change.ts";
import { diskProblem, isMissing } from "./storage/disk.ts";
import { BOTH_FILES } from "./storage/file-names.ts";
import { exists, isSameFile, linkPair, type Pair, pairAt, unlinkIfExists } from "./storage/pair.ts";
import { type PasteRecord, toPaste } from "./storage/record.ts";
import { REMOVED_RECORD } from "./storage/records.ts";
import { publish, type Store, saveRecord } from "./store.ts";

/*
 * Screenshots that can be restored. The record in the main folder decides: while it exists, the screenshot exists, and
 * anything about it in `removed/` is left over from an unfinished change. Without it, the record in `removed/` counts.
 */

const ID = new RegExp(PASTE_ID_PATTERN);

const folderOf = ({ folder }: Store, id: string): string => join(folder.removed, id);

const keptPair = (store: Store, id: string): Pair => ({
  optimized: join(folderOf(store, id), "optimized.png"),
  original: join(folderOf(store, id), "original.png"),
});

export async function removePaste(store: Store, id: string): Promise<void> {
  const record = await currentRecord(store, id).catch((error) => {
    throw diskProblem(error);
  });
  try {
    await putAway(store, record);
  } catch (error) {
    await undoRemoval(store, record);
    throw diskProblem(error);
  }
  store.index.delete(id);
  const isKept = await exists(join(folderOf(store, id), REMOVED_RECORD));
  if (isKept) store.removed.set(id, store.now());
  // Tried twice: the screenshot is gone, and its files must disappear from the project.
  await unlinkFromProject(store, record)
    .catch(() => unlinkFromProject(store, record))
    .catch((error) => {
      store.log?.warn({ err: error, paste: id }, "The files of a removed screenshot are deleted at the next start.");
    });
  if (!isKept) await forgetRemoved(store, id);
  store.emit({ type: "removed", id });
}

async function putAway(store: Store, record: PasteRecord): Promise<void> {
  const { disk, records, folder } = store;
  await deleteKept(store, record.id);
  await disk.makeFolder(folderOf(store, record.id));
  if ((await linkPair(disk, pairAt(folder, record), keptPair(store, record.id))) !== "missing") {
    await records.writeRemoved({ ...record, removedAtMs: store.now() });
    await disk.flushFolder(folder.removed);
  }
  await records.remove(record.id);
}

async function undoRemoval(store: Store, record: PasteRecord): Promise<void> {
  try {
    if (!(await store.records.read(record.id))) await saveRecord(store, record);
    await deleteKept(store, record.id);
  } catch (error) {
    store.log?.warn({ err: error, paste: record.id }, "A failed removal is undone at the next start.");
  }
}

/** Deletes the names in the project that belong to the files that were put away. */
async function unlinkFromProject(store: Store, record: PasteRecord): Promise<void> {
  const [kept, named] = [keptPair(store, record.id), pairAt(store.folder, record)];
  for (const file of BOTH_FILES) {
    if (await isSameFile(named[file], kept[file])) await unlinkIfExists(store.disk, named[file]);
  }
}

export async function restorePaste(store: Store, id: string): Promise<Paste> {
  const live = store.index.get(id);
  if (live) return toPaste(live);
  const record = store.removed.has(id) ? await store.records.readRemoved(id) : undefined;
  if (!record) throw new Problem("paste-unknown", { detail: "It was not removed, or it was removed too long ago." });
  let restored: PasteRecord;
  try {
    restored = await takeOut(store, record);
  } catch (error) {
    await undoRestoring(store, record);
    throw diskProblem(error);
  }
  await forgetRemoved(store, id);
  const paste = toPaste(restored);
  store.emit({ type: "paste", paste });
  return paste;
}

async function takeOut(store: Store, record: PasteRecord): Promise<PasteRecord> {
  const { removedAtMs: _, ...live } = record;
  return publish(store, {
    record,
    from: keptPair(store, record.id),
    first: record.name,
    base: record.base,
    journal: (name) => store.records.writeRemoved({ ...record, name }),
    commit: (name) => saveRecord(store, { ...live, name }),
  });
}

async function undoRestoring(store: Store, record: PasteRecord): Promise<void> {
  const { index, records } = store;
  index.delete(record.id);
  try {
    // In this order: while the record exists, the screenshot exists and must have its files.
    await records.remove(record.id);
    await unlinkFromProject(store, (await records.readRemoved(record.id)) ?? record);
  } catch (error) {
    store.log?.warn({ err: error, paste: record.id }, "A failed restore is cleaned up at the next start.");
  }
}

/** The oldest removed screenshot, when there are more than can be kept. */
export const oldestTooMany = ({ removed, limits }: Store): string | undefined =>
  removed.size > limits.maxRemoved ? removed.keys().next().value : undefined;

/** Deletes a removed screenshot for good. */
export const forgetRemoved = (store: Store, id: string): Promise<void> =>
  deleteKept(store, id).catch((error) => {
    store.log?.warn({ err: error, paste: id }, "The rest of a removed screenshot is deleted at the next start.");
  });

/** Deletes the record first: without it, the files are known to be left over. */
async function deleteKept(store: Store, id: string): Promise<void> {
  const { disk } = store;
  const folder = folderOf(store, id);
  store.removed.delete(id);
  try {
    // The author of the project may have put a link there: delete the link, not its target.
    if (!(await lstat(folder)).isDirectory()) return await unlinkIfExists(disk, folder);
    await unlinkIfExists(disk, join(folder, REMOVED_RECORD));
    for (const name of await readdir(folder)) await unlinkIfExists(disk, join(folder, name));
    await disk.removeFolder(folder);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** At a start: finishes what the last process began, and deletes what is too old. */
export async function recoverRemoved(store: Store): Promise<void> {
  const { removed, limits } = store;
  const found: PasteRecord[] = [];
  for (const id of (await readdir(store.folder.removed)).filter((name) => ID.test(name))) {
    const record = store.index.get(id) ? undefined : await store.records.readRemoved(id);
    if (!record) {
      await forgetRemoved(store, id);
      continue;
    }
    await unlinkFromProject(store, record);
    if (store.now() - (record.removedAtMs ?? 0) > limits.removedLifeMs) await forgetRemoved(store, id);
    else found.push(record);
  }
  found.sort((a, b) => (a.removedAtMs ?? 0) - (b.removedAtMs ?? 0));
  for (const record of found) removed.set(record.id, record.removedAtMs ?? 0);
  for (let old = oldestTooMany(store); old !== undefined; old = oldestTooMany(store)) await forgetRemoved(store, old);
}

import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { PASTE_ID_PATTERN, type Paste } from "@backplane/contract/viewer";
import { Problem } from "@backplane/kit/problems";
import { currentRecord } from "./change.ts";
import { diskProblem, isMissing } from "./storage/disk-problem.ts";
import { PAIR } from "./storage/file-names.ts";
import { isSameFile, isThere, linkPair, type Pair, pairAt, unlinkIfThere } from "./storage/pair.ts";
import { type PasteRecord, toPaste } from "./storage/record.ts";
import { REMOVED_RECORD } from "./storage/records.ts";
import { keep, publish, type Store } from "./store.ts";

/**
 * Screenshots that can be put back. The record in the main folder decides: while it is there the screenshot is, and what
 * `removed/` has of it is left over from a change that was not finished; without it, the one in `removed/` counts.
 */
export type Removed = {
  remove(id: string): Promise<void>;
  restore(id: string): Promise<Paste>;
  /** Of those that can be put back, the oldest one too many. */
  oneTooMany(): string | undefined;
  /** For good. */
  forget(id: string): Promise<void>;
  /** Finishes what the last process began, and forgets what is too old. */
  recover(): Promise<void>;
};

const ID = new RegExp(PASTE_ID_PATTERN);

export function createRemoved(store: Store): Removed {
  const { folder, disk, records, index, limits } = store;
  /** When each was removed; the oldest first. */
  const removed = new Map<string, number>();
  const folderOf = (id: string): string => join(folder.removed, id);
  const keptAt = (id: string): Pair => ({
    optimized: join(folderOf(id), "optimized.png"),
    original: join(folderOf(id), "original.png"),
  });

  /** The names in the project go where they are those of the files that were put away. */
  async function leaveProject(record: PasteRecord): Promise<void> {
    const [kept, named] = [keptAt(record.id), pairAt(folder, record)];
    for (const file of PAIR) {
      if (await isSameFile(named[file], kept[file])) await unlinkIfThere(disk, named[file]);
    }
  }

  /** The record goes first: without it the rest is known to be left over. */
  async function forget(id: string): Promise<void> {
    removed.delete(id);
    try {
      // Who wrote the project may have put a link there: what it leads to stays.
      if (!(await lstat(folderOf(id))).isDirectory()) return await unlinkIfThere(disk, folderOf(id));
      await unlinkIfThere(disk, join(folderOf(id), REMOVED_RECORD));
      for (const name of await readdir(folderOf(id))) await unlinkIfThere(disk, join(folderOf(id), name));
      await disk.removeFolder(folderOf(id));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  const forgetLater = (id: string): Promise<void> =>
    forget(id).catch((error) => {
      store.log?.warn({ err: error, paste: id }, "What is left of a removed screenshot goes at the next start.");
    });

  async function putAway(record: PasteRecord): Promise<void> {
    await forget(record.id);
    await disk.makeFolder(folderOf(record.id));
    if ((await linkPair(disk, pairAt(folder, record), keptAt(record.id))) !== "missing") {
      await records.writeRemoved({ ...record, removedAtMs: store.now() });
      await disk.flushFolder(folder.removed);
    }
    await records.remove(record.id);
  }

  async function undoRemoval(record: PasteRecord): Promise<void> {
    try {
      if (!(await records.read(record.id))) await keep(store, record);
      await forget(record.id);
    } catch (error) {
      store.log?.warn({ err: error, paste: record.id }, "A removal that failed is undone at the next start.");
    }
  }

  async function undoRestoring(record: PasteRecord): Promise<void> {
    index.delete(record.id);
    try {
      // In this order: with its record the screenshot is there again, and must have its files.
      await records.remove(record.id);
      await leaveProject((await records.readRemoved(record.id)) ?? record);
    } catch (error) {
      store.log?.warn({ err: error, paste: record.id }, "A screenshot that was not put back is cleaned up at a start.");
    }
  }

  async function takeOut(record: PasteRecord): Promise<PasteRecord> {
    const { removedAtMs: _, ...live } = record;
    return publish(store, {
      record,
      from: keptAt(record.id),
      first: record.name,
      base: record.base,
      journal: (name) => records.writeRemoved({ ...record, name }),
      commit: (name) => keep(store, { ...live, name }),
    });
  }

  return {
    async remove(id) {
      let record: PasteRecord;
      try {
        record = await currentRecord(store, id);
      } catch (error) {
        throw diskProblem(error);
      }
      try {
        await putAway(record);
      } catch (error) {
        await undoRemoval(record);
        throw diskProblem(error);
      }
      index.delete(id);
      const isKept = await isThere(join(folderOf(id), REMOVED_RECORD));
      if (isKept) removed.set(id, store.now());
      // Once more, should the first time fail: the screenshot is gone, and so must its names be.
      await leaveProject(record)
        .catch(() => leaveProject(record))
        .catch((error) => {
          store.log?.warn({ err: error, paste: id }, "The files of a removed screenshot go at the next start.");
        });
      if (!isKept) await forgetLater(id);
      store.tell({ type: "removed", id });
    },
    async restore(id) {
      const live = index.get(id);
      if (live) return toPaste(live);
      const record = removed.has(id) ? await records.readRemoved(id) : undefined;
      if (!record)
        throw new Problem("paste-unknown", { detail: "It was not removed, or too long ago to be put back." });
      let restored: PasteRecord;
      try {
        restored = await takeOut(record);
      } catch (error) {
        await undoRestoring(record);
        throw diskProblem(error);
      }
      await forgetLater(id);
      const paste = toPaste(restored);
      store.tell({ type: "paste", paste });
      return paste;
    },
    oneTooMany: () => (removed.size > limits.maxRemoved ? removed.keys().next().value : undefined),
    forget: forgetLater,
    async recover() {
      const found: PasteRecord[] = [];
      for (const id of (await readdir(folder.removed)).filter((name) => ID.test(name))) {
        const record = index.get(id) ? undefined : await records.readRemoved(id);
        if (!record) {
          await forgetLater(id);
          continue;
        }
        await leaveProject(record);
        if (store.now() - (record.removedAtMs ?? 0) > limits.removedLifeMs) await forgetLater(id);
        else found.push(record);
      }
      found.sort((a, b) => (a.removedAtMs ?? 0) - (b.removedAtMs ?? 0));
      for (const record of found) removed.set(record.id, record.removedAtMs ?? 0);
      while (removed.size > limits.maxRemoved) await forgetLater(removed.keys().next().value ?? "");
    },
  };
}

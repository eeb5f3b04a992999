import { join } from "node:path";
import type { PasteFileName } from "../services.ts";
import { systemCode } from "./storage/disk.ts";
import { PAIR } from "./storage/file-names.ts";
import { fileAt, isSameFile, type Pair, pairAt, unlinkIfThere } from "./storage/pair.ts";
import type { PasteRecord } from "./storage/record.ts";
import { keep, publish, type Store } from "./store.ts";

/** After a crash what can be finished is; after a failure that the caller hears of, nothing has happened. */
export type How = "finish" | "undo";

/**
 * Brings a pair whose record says that something was being done to it into order: both files under one name, and no other
 * name of ours. A file that is not ours by its inode is never touched. Undefined: it was never saved, and is gone.
 */
export async function settle(store: Store, record: PasteRecord, how: How): Promise<PasteRecord | undefined> {
  if (record.saving) return settleSaving(store, record, record.saving, how);
  let settled = record;
  if (settled.renaming) settled = await settleRenaming(store, settled, settled.renaming, how);
  if (settled.leaving !== undefined) settled = await settleLeaving(store, settled, settled.leaving);
  if (settled.squeezing) settled = await settleSqueezing(store, settled, settled.squeezing);
  return settled;
}

async function settleSaving(
  store: Store,
  record: PasteRecord,
  saving: NonNullable<PasteRecord["saving"]>,
  how: How,
): Promise<PasteRecord | undefined> {
  const { disk, folder } = store;
  const from: Pair = {
    optimized: join(folder.incoming, saving.optimized),
    original: join(folder.incoming, saving.original),
  };
  for (const file of PAIR) await takeBack(store, record, file, record.name, from[file]);
  const isWhole = (await fileAt(from.optimized)) !== undefined && (await fileAt(from.original)) !== undefined;
  let saved: PasteRecord | undefined;
  if (how === "finish" && isWhole) saved = await publishSaving(store, record, from);
  else await store.records.remove(record.id);
  for (const name of new Set([saving.upload, saving.optimized, saving.original])) {
    await unlinkIfThere(disk, join(folder.incoming, name));
  }
  return saved;
}

/** The last part of saving; also after a crash. */
export async function publishSaving(store: Store, record: PasteRecord, from: Pair): Promise<PasteRecord> {
  let written = record;
  return publish(store, {
    record,
    from,
    first: record.base,
    base: record.base,
    async journal(name) {
      written = { ...record, name };
      await store.records.write(written);
    },
    commit() {
      const { saving: _, ...saved } = written;
      return keep(store, saved);
    },
  });
}

async function settleRenaming(
  store: Store,
  record: PasteRecord,
  renaming: NonNullable<PasteRecord["renaming"]>,
  how: How,
): Promise<PasteRecord> {
  const { folder } = store;
  const { renaming: _, ...plain } = record;
  const old = pairAt(folder, record);
  const next = pairAt(folder, record, renaming.name);
  let isDone = false;
  if (how === "finish") {
    const there = await Promise.all(PAIR.map((file) => isOurs(record, file, next[file], old[file])));
    const deleted = await Promise.all(
      PAIR.map(async (file) => !(await fileAt(old[file])) && !(await fileAt(next[file]))),
    );
    isDone = there.some(Boolean) && PAIR.every((_, place) => there[place] || deleted[place]);
  }
  if (isDone) {
    const { name, base, by } = renaming;
    return keep(store, { ...plain, name, base, namedBy: by, leaving: record.name });
  }
  for (const file of PAIR) await takeBack(store, record, file, renaming.name, old[file]);
  return keep(store, plain);
}

/** Removes our second name of a file; where the first one is gone, the file gets that back. */
async function takeBack(store: Store, record: PasteRecord, file: PasteFileName, name: string, first: string) {
  const second = pairAt(store.folder, record, name)[file];
  await leave(store, record, file, second, first);
}

/** Of two names of one file of ours, `path` goes. Nothing is left out of sight: without the other name it stays. */
async function leave(store: Store, record: PasteRecord, file: PasteFileName, path: string, other: string) {
  if (path === other || !(await isOurs(record, file, path, other))) return;
  if ((await fileAt(other)) || (await canLink(store, path, other))) await unlinkIfThere(store.disk, path);
}

export async function settleLeaving(store: Store, record: PasteRecord, leaving: string): Promise<PasteRecord> {
  const old = pairAt(store.folder, record, leaving);
  const now = pairAt(store.folder, record);
  for (const file of PAIR) await leave(store, record, file, old[file], now[file]);
  const { leaving: _, ...plain } = record;
  // Should a power cut bring the line back, the same is done once more.
  return keep(store, plain, "later");
}

async function settleSqueezing(
  store: Store,
  record: PasteRecord,
  squeezing: NonNullable<PasteRecord["squeezing"]>,
): Promise<PasteRecord> {
  const { squeezing: _, ...plain } = record;
  const file = await fileAt(pairAt(store.folder, record).optimized);
  const isSwapped = file?.inode === squeezing.inode && file.bytes === squeezing.bytes;
  return keep(
    store,
    isSwapped ? { ...plain, isSqueezed: true, optimized: { ...plain.optimized, ...squeezing } } : plain,
  );
}

/** A link shares its inode; where the other name is gone, what was written down counts. */
async function isOurs(record: PasteRecord, file: PasteFileName, path: string, other: string): Promise<boolean> {
  if (await isSameFile(path, other)) return true;
  if (await fileAt(other)) return false;
  const { inode, bytes } = record[file];
  const there = await fileAt(path);
  return there?.inode === inode && there.bytes === bytes;
}

async function canLink({ disk }: Store, from: string, to: string): Promise<boolean> {
  try {
    await disk.link(from, to);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

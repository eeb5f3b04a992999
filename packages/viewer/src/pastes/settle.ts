import { join } from "node:path";
import type { PasteFileName } from "../services.ts";
import { systemCode } from "./storage/disk.ts";
import { BOTH_FILES } from "./storage/file-names.ts";
import { fileAt, isSameFile, type Pair, pairAt, unlinkIfExists } from "./storage/pair.ts";
import type { PasteRecord } from "./storage/record.ts";
import { publish, type Store, saveRecord } from "./store.ts";

/** After a crash, changes are finished where possible. After a failure that the caller is told about, they are undone. */
export type SettleMode = "finish" | "undo";

/**
 * Finishes or undoes a change that the record says was interrupted: afterwards both files have exactly one name. Never
 * touches a file whose inode is not ours. Undefined: the screenshot had not been saved, and its files are deleted.
 */
export async function settle(store: Store, record: PasteRecord, mode: SettleMode): Promise<PasteRecord | undefined> {
  if (record.saving) return settleSaving(store, record, record.saving, mode);
  let settled = record;
  if (settled.renaming) settled = await settleRenaming(store, settled, settled.renaming, mode);
  if (settled.leaving !== undefined) settled = await settleLeaving(store, settled, settled.leaving);
  if (settled.squeezing) settled = await settleSqueezing(store, settled, settled.squeezing);
  return settled;
}

async function settleSaving(
  store: Store,
  record: PasteRecord,
  saving: NonNullable<PasteRecord["saving"]>,
  mode: SettleMode,
): Promise<PasteRecord | undefined> {
  const { disk, folder } = store;
  const from: Pair = {
    optimized: join(folder.incoming, saving.optimized),
    original: join(folder.incoming, saving.original),
  };
  for (const file of BOTH_FILES) await removeNewName(store, record, file, record.name, from[file]);
  const isWhole = (await fileAt(from.optimized)) !== undefined && (await fileAt(from.original)) !== undefined;
  let saved: PasteRecord | undefined;
  if (mode === "finish" && isWhole) saved = await publishSaving(store, record, from);
  else await store.records.remove(record.id);
  for (const name of new Set([saving.upload, saving.optimized, saving.original])) {
    await unlinkIfExists(disk, join(folder.incoming, name));
  }
  return saved;
}

/** The last step of saving; also used after a crash. */
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
      return saveRecord(store, saved);
    },
  });
}

async function settleRenaming(
  store: Store,
  record: PasteRecord,
  renaming: NonNullable<PasteRecord["renaming"]>,
  mode: SettleMode,
): Promise<PasteRecord> {
  const { folder } = store;
  const { renaming: _, ...plain } = record;
  const old = pairAt(folder, record);
  const next = pairAt(folder, record, renaming.name);
  let isDone = false;
  if (mode === "finish") {
    const linked = await Promise.all(BOTH_FILES.map((file) => isOurs(record, file, next[file], old[file])));
    const deleted = await Promise.all(
      BOTH_FILES.map(async (file) => !(await fileAt(old[file])) && !(await fileAt(next[file]))),
    );
    isDone = linked.some(Boolean) && BOTH_FILES.every((_, index) => linked[index] || deleted[index]);
  }
  if (isDone) {
    const { name, base, by } = renaming;
    return saveRecord(store, { ...plain, name, base, namedBy: by, leaving: record.name });
  }
  for (const file of BOTH_FILES) await removeNewName(store, record, file, renaming.name, old[file]);
  return saveRecord(store, plain);
}

/** Removes the name that a file was about to get. */
async function removeNewName(store: Store, record: PasteRecord, file: PasteFileName, name: string, oldPath: string) {
  await removeName(store, record, file, pairAt(store.folder, record, name)[file], oldPath);
}

/** Removes one of the two names of a file. If the other name is gone, the file gets it back first, or keeps this one. */
async function removeName(store: Store, record: PasteRecord, file: PasteFileName, path: string, other: string) {
  if (path === other || !(await isOurs(record, file, path, other))) return;
  if ((await fileAt(other)) || (await canLink(store, path, other))) await unlinkIfExists(store.disk, path);
}

export async function settleLeaving(store: Store, record: PasteRecord, leaving: string): Promise<PasteRecord> {
  const old = pairAt(store.folder, record, leaving);
  const now = pairAt(store.folder, record);
  for (const file of BOTH_FILES) await removeName(store, record, file, old[file], now[file]);
  const { leaving: _, ...plain } = record;
  // If a power cut brings the old record back, this is simply done again.
  return saveRecord(store, plain, "later");
}

async function settleSqueezing(
  store: Store,
  record: PasteRecord,
  squeezing: NonNullable<PasteRecord["squeezing"]>,
): Promise<PasteRecord> {
  const { squeezing: _, ...plain } = record;
  const file = await fileAt(pairAt(store.folder, record).optimized);
  const isSwapped = file?.inode === squeezing.inode && file.bytes === squeezing.bytes;
  return saveRecord(
    store,
    isSwapped ? { ...plain, isSqueezed: true, optimized: { ...plain.optimized, ...squeezing } } : plain,
  );
}

/** Two names of a file have the same inode. If the other name is gone, compare with the inode in the record. */
async function isOurs(record: PasteRecord, file: PasteFileName, path: string, other: string): Promise<boolean> {
  if (await isSameFile(path, other)) return true;
  if (await fileAt(other)) return false;
  const { inode, bytes } = record[file];
  const found = await fileAt(path);
  return found?.inode === inode && found.bytes === bytes;
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

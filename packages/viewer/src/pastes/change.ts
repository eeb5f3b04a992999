import { isDeepStrictEqual } from "node:util";
import type { NamedBy, Paste } from "@backplane/contract/viewer";
import { Problem } from "@backplane/kit/problems";
import { settle, settleLeaving } from "./settle.ts";
import { diskProblem } from "./storage/disk.ts";
import { exists, pairAt } from "./storage/pair.ts";
import { isUnsettled, type PasteRecord, toPaste, withoutText } from "./storage/record.ts";
import { publish, type Store, saveRecord } from "./store.ts";

export type Change = {
  /** Changes to the record, whatever happens to the name. */
  facts: Partial<Pick<PasteRecord, "text" | "suggestions" | "status" | "namedAfterMs">>;
  name: { base: string; by: NamedBy } | undefined;
};

/** From lowest to highest. */
const RANK: readonly (NamedBy | null)[] = [null, "text", "client", "model", "you"];

const mayReplace = (by: NamedBy, current: NamedBy | null): boolean => RANK.indexOf(by) >= RANK.indexOf(current);

/** The current record; an interrupted change is undone first. Throws paste-unknown. */
export async function currentRecord(store: Store, id: string): Promise<PasteRecord> {
  const entry = store.index.get(id);
  if (!entry) throw new Problem("paste-unknown");
  const record = (await store.records.read(id)) ?? { ...entry, text: null };
  // After a failure the disk may be ahead of memory.
  store.index.set(withoutText(record));
  if (!isUnsettled(record)) return record;
  const settled = await settle(store, record, "undo");
  if (!settled) throw new Problem("paste-unknown");
  return settled;
}

/** Changes the record of a screenshot, and its name unless the current name ranks higher. */
export async function changePaste(store: Store, id: string, { facts, name }: Change): Promise<Paste> {
  const before = await currentRecord(store, id).catch((error) => {
    throw diskProblem(error);
  });
  const wanted = name && mayReplace(name.by, before.namedBy) ? name : undefined;
  let after: PasteRecord;
  try {
    const isRenamed = wanted !== undefined && (await needsNewName(store, before, wanted.base));
    after = isRenamed
      ? await rename(store, before, facts, wanted)
      : await updateRecord(store, before, { ...facts, ...(wanted ? { namedBy: wanted.by } : {}) });
  } catch (error) {
    const now = await recordAfterFailure(store, id);
    if (!now || !isDone(now, facts, wanted)) throw diskProblem(error);
    after = now;
  }
  const paste = toPaste(after);
  if (after !== before) store.emit({ type: "paste", paste });
  return paste;
}

/** A disk may fail in the last flush, after everything is done. */
const isDone = (now: PasteRecord, facts: Change["facts"], wanted: Change["name"]): boolean =>
  isDeepStrictEqual({ ...now, ...facts }, now) &&
  (wanted === undefined || (now.base === wanted.base && now.namedBy === wanted.by));

/** A screenshot that has the name with a number is renamed only if the name without the number is free now. */
async function needsNewName({ folder, names }: Store, record: PasteRecord, base: string): Promise<boolean> {
  if (record.name === base) return false;
  if (record.base !== base) return true;
  const plain = pairAt(folder, record, base);
  return !names.isTaken(base) && !(await exists(plain.optimized)) && !(await exists(plain.original));
}

async function updateRecord(store: Store, before: PasteRecord, facts: Partial<PasteRecord>): Promise<PasteRecord> {
  const after = { ...before, ...facts };
  return isDeepStrictEqual(after, before) ? before : saveRecord(store, after);
}

async function rename(
  store: Store,
  before: PasteRecord,
  facts: Change["facts"],
  { base, by }: { base: string; by: NamedBy },
): Promise<PasteRecord> {
  const renamed = await publish(store, {
    record: before,
    from: pairAt(store.folder, before),
    first: base,
    base,
    async journal(name) {
      await saveRecord(store, { ...before, renaming: { name, base, by } });
    },
    commit: (name) => saveRecord(store, { ...before, ...facts, name, base, namedBy: by, leaving: before.name }),
  });
  try {
    return await settleLeaving(store, renamed, before.name);
  } catch (error) {
    // The new name counts. The next change, or the next start, removes the old one.
    store.log?.warn({ err: error, paste: before.id }, "The old name of a screenshot could not be removed yet.");
    return settleLeaving(store, renamed, before.name).catch(() => renamed);
  }
}

/** Undoes what is half done, so that memory and disk agree. */
async function recordAfterFailure(store: Store, id: string): Promise<PasteRecord | undefined> {
  try {
    return await currentRecord(store, id);
  } catch (error) {
    store.log?.warn({ err: error, paste: id }, "A failed change of a screenshot will be undone later.");
    return undefined;
  }
}

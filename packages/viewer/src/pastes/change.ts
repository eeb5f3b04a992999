import { isDeepStrictEqual } from "node:util";
import type { NamedBy, Paste } from "@backplane/contract/viewer";
import { Problem } from "@backplane/kit/problems";
import { settle, settleLeaving } from "./settle.ts";
import { diskProblem } from "./storage/disk.ts";
import { isThere, pairAt } from "./storage/pair.ts";
import { isUnsettled, type PasteRecord, toPaste, withoutText } from "./storage/record.ts";
import { keep, publish, type Store } from "./store.ts";

export type Change = {
  /** What becomes of the record, whatever the name. */
  facts: Partial<Pick<PasteRecord, "text" | "suggestions" | "status" | "namedAfterMs">>;
  name: { base: string; by: NamedBy } | undefined;
};

/** A person's word counts most. */
const RANK: readonly (NamedBy | null)[] = [null, "text", "client", "model", "you"];

const isBetter = (by: NamedBy, than: NamedBy | null): boolean => RANK.indexOf(by) >= RANK.indexOf(than);

/** The record as it is now, in order. Throws paste-unknown. */
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

/** Changes what is known of a screenshot, and its name when the new one comes from somebody whose word counts as much. */
export async function changePaste(store: Store, id: string, { facts, name }: Change): Promise<Paste> {
  const before = await currentRecord(store, id).catch((error) => {
    throw diskProblem(error);
  });
  const wanted = name && isBetter(name.by, before.namedBy) ? name : undefined;
  let after: PasteRecord;
  try {
    const isRenamed = wanted !== undefined && (await needsNewName(store, before, wanted.base));
    after = isRenamed
      ? await rename(store, before, facts, wanted)
      : await noteDown(store, before, { ...facts, ...(wanted ? { namedBy: wanted.by } : {}) });
  } catch (error) {
    const now = await inOrder(store, id);
    if (!now || !hasHappened(now, facts, wanted)) throw diskProblem(error);
    after = now;
  }
  const paste = toPaste(after);
  if (after !== before) store.emit({ type: "paste", paste });
  return paste;
}

/** A disk may fail when all is done but the last flush. */
const hasHappened = (now: PasteRecord, facts: Change["facts"], wanted: Change["name"]): boolean =>
  isDeepStrictEqual({ ...now, ...facts }, now) &&
  (wanted === undefined || (now.base === wanted.base && now.namedBy === wanted.by));

/** It may have the name with a number, as others had it first; it gets rid of the number when it can. */
async function needsNewName({ folder, names }: Store, record: PasteRecord, base: string): Promise<boolean> {
  if (record.name === base) return false;
  if (record.base !== base) return true;
  const plain = pairAt(folder, record, base);
  return !names.isTaken(base) && !(await isThere(plain.optimized)) && !(await isThere(plain.original));
}

async function noteDown(store: Store, before: PasteRecord, facts: Partial<PasteRecord>): Promise<PasteRecord> {
  const after = { ...before, ...facts };
  return isDeepStrictEqual(after, before) ? before : keep(store, after);
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
      await keep(store, { ...before, renaming: { name, base, by } });
    },
    commit: (name) => keep(store, { ...before, ...facts, name, base, namedBy: by, leaving: before.name }),
  });
  try {
    return await settleLeaving(store, renamed, before.name);
  } catch (error) {
    // It has its name; the old one goes with the next change, or the next start.
    store.log?.warn({ err: error, paste: before.id }, "The old name of a screenshot could not be removed yet.");
    return settleLeaving(store, renamed, before.name).catch(() => renamed);
  }
}

/** After a failure: memory says what the disk says, and nothing is half done. */
async function inOrder(store: Store, id: string): Promise<PasteRecord | undefined> {
  try {
    return await currentRecord(store, id);
  } catch (error) {
    store.log?.warn({ err: error, paste: id }, "A change of a screenshot that failed is undone later.");
    return undefined;
  }
}

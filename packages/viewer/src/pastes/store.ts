import type { ViewerEvent } from "@backplane/contract/viewer";
import type { Clock } from "@backplane/kit/clock";
import type { Log } from "@backplane/kit/log";
import { Problem } from "@backplane/kit/problems";
import type { FreeNames } from "./free-names.ts";
import type { Disk } from "./storage/disk.ts";
import type { PastesFolder } from "./storage/folder.ts";
import type { PastesLimits } from "./storage/limits.ts";
import { isThere, linkPair, type Pair, pairAt } from "./storage/pair.ts";
import type { PasteIndex } from "./storage/paste-index.ts";
import { type Entry, type PasteRecord, withoutText } from "./storage/record.ts";
import type { Records } from "./storage/records.ts";

/** What every change of the screenshots works with. */
export type Store = {
  folder: PastesFolder;
  disk: Disk;
  records: Records;
  index: PasteIndex;
  names: FreeNames;
  now: Clock;
  log: Pick<Log, "warn"> | undefined;
  limits: PastesLimits;
  /** When each screenshot that can be restored was removed, oldest first. */
  removed: Map<string, number>;
  emit: (event: ViewerEvent) => void;
};

/** The record on the disk, then what memory says. */
export async function keep(store: Store, record: PasteRecord, flush?: "now" | "later"): Promise<PasteRecord> {
  await store.records.write(record, flush);
  store.index.set(withoutText(record));
  return record;
}

type Publication<T> = {
  record: Entry;
  /** Where the two files lie. */
  from: Pair;
  /** The first to try; then `base` with numbers. */
  first: string;
  base: string;
  /** Writes down which name the files are about to get, so that a restart knows. */
  journal: (name: string) => Promise<void>;
  /** Both files have the name: makes it theirs. */
  commit: (name: string) => Promise<T>;
};

/** Gives a pair a name that is free. Never overwrites: `link()` fails where there is anything. */
export async function publish<T>(store: Store, publication: Publication<T>): Promise<T> {
  const { record, from, first, base, journal, commit } = publication;
  const done = await store.names.withFree<{ value: T }>(first, base, async (name) => {
    const to = pairAt(store.folder, record, name);
    // Looked at first only to spare the journal: the link decides.
    if ((await isThere(to.optimized)) || (await isThere(to.original))) return "taken";
    await journal(name);
    const outcome = await linkPair(store.disk, from, to);
    if (outcome === "taken") return "taken";
    if (outcome === "missing")
      throw new Problem("paste-gone", { detail: "Both files of this screenshot were deleted. Paste it again." });
    await store.disk.flushFolder(store.folder.pairs);
    return { value: await commit(name) };
  });
  if (!done) throw new Problem("name-taken", { detail: "Too many screenshots have this name. Choose another one." });
  return done.value;
}

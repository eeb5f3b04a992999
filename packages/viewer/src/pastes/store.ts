import type { ViewerEvent } from "@backplane/contract/viewer";
import type { Clock } from "@backplane/kit/clock";
import type { Log } from "@backplane/kit/log";
import { Problem } from "@backplane/kit/problems";
import type { FreeNames } from "./free-names.ts";
import type { Disk } from "./storage/disk.ts";
import type { PastesFolder } from "./storage/folder.ts";
import type { PastesLimits } from "./storage/limits.ts";
import { exists, linkPair, type Pair, pairAt } from "./storage/pair.ts";
import type { PasteIndex } from "./storage/paste-index.ts";
import { type Entry, type PasteRecord, withoutText } from "./storage/record.ts";
import type { Records } from "./storage/records.ts";

/** What all functions that read or change screenshots share. */
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

/** Writes a record to the disk, then to the index in memory. */
export async function saveRecord(store: Store, record: PasteRecord, flush?: "now" | "later"): Promise<PasteRecord> {
  await store.records.write(record, flush);
  store.index.set(withoutText(record));
  return record;
}

type Publication<T> = {
  record: Entry;
  /** Where the two files are now. */
  from: Pair;
  /** The name to try first; after it, `base` with numbers. */
  first: string;
  base: string;
  /** Records which name the files are about to get, for recovery after a crash. */
  journal: (name: string) => Promise<void>;
  /** Called when both files have the name: records it as theirs. */
  commit: (name: string) => Promise<T>;
};

/** Gives both files a free name. Never overwrites: `link()` fails if the name exists. */
export async function publish<T>(store: Store, publication: Publication<T>): Promise<T> {
  const { record, from, first, base, journal, commit } = publication;
  const done = await store.names.withFree<{ value: T }>(first, base, async (name) => {
    const to = pairAt(store.folder, record, name);
    // Only saves writing the journal; `linkPair` decides.
    if ((await exists(to.optimized)) || (await exists(to.original))) return "taken";
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

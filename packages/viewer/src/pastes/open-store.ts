import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ViewerEvent } from "@backplane/contract/viewer";
import type { Clock } from "@backplane/kit/clock";
import type { Log } from "@backplane/kit/log";
import { createFreeNames } from "./free-names.ts";
import { recoverRemoved } from "./removed.ts";
import { settle } from "./settle.ts";
import { type Disk, diskProblem, realDisk } from "./storage/disk.ts";
import { BOTH_FILES, nameOfFile } from "./storage/file-names.ts";
import { holdProject, makePastesFolder } from "./storage/folder.ts";
import { PASTES_LIMITS, type PastesLimits } from "./storage/limits.ts";
import { createPasteIndex } from "./storage/paste-index.ts";
import { isUnsettled, type PasteRecord, withoutText } from "./storage/record.ts";
import { createRecords } from "./storage/records.ts";
import type { Store } from "./store.ts";

export type StoreOptions = {
  project: string;
  now: Clock;
  emit: (event: ViewerEvent) => void;
  log?: Pick<Log, "warn"> | undefined;
  limits?: Partial<PastesLimits> | undefined;
  /** Replaced by tests. */
  disk?: Disk | undefined;
};

/** Opens a project's screenshots and repairs what the last process left unfinished. Throws HeldElsewhere. */
export async function openStore(options: StoreOptions): Promise<{ store: Store; release: () => void }> {
  const { project, now, emit, log, disk = realDisk } = options;
  const limits: PastesLimits = { ...PASTES_LIMITS, ...options.limits };
  const folder = await makePastesFolder(project);
  const release = holdProject(folder, process.pid);
  const index = createPasteIndex();
  const store: Store = {
    folder,
    disk,
    records: createRecords(folder, disk, limits, log),
    index,
    names: createFreeNames({ ...limits, pairsFolder: folder.pairs, isUsed: index.isUsed }),
    removed: new Map(),
    now,
    log,
    limits,
    emit,
  };
  try {
    await recover(store);
  } catch (error) {
    release();
    throw diskProblem(error);
  }
  return { store, release };
}

/** Reads all records, finishes or undoes what the last process was doing, and forgets what the user deleted. */
async function recover(store: Store): Promise<void> {
  const { folder, records, index } = store;
  const unsettled: PasteRecord[] = [];
  await records.readAll((record) => {
    // A screenshot that was being saved does not exist yet.
    if (!record.saving) index.set(withoutText(record));
    if (isUnsettled(record)) unsettled.push(record);
  });
  for (const record of unsettled) await settle(store, record, "finish");
  await recoverRemoved(store);

  const files = new Set(await readdir(folder.pairs));
  for (const entry of [...index.newestFirst()]) {
    if (BOTH_FILES.some((file) => files.has(nameOfFile(entry, file)))) continue;
    await records.remove(entry.id);
    index.delete(entry.id);
  }
  for (const name of await readdir(folder.incoming)) {
    await rm(join(folder.incoming, name), { recursive: true, force: true });
  }
}

import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "@backplane/kit/database";
import { isProcessAlive } from "@backplane/kit/process-alive";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { RegistryTables } from "../tables.ts";
import { PUBLISHING_LIMITS } from "./options.ts";
import { UPLOAD_SUFFIX, uploadsFolder } from "./receive-upload.ts";

/**
 * Archives that are stored but not listed yet. Only these are ever removed from the store as orphans: judged by the store
 * alone, tables from a backup would make every newer archive look like one.
 */

/** Call before the bytes are stored. */
export async function rememberUpload(
  { durable }: Database<RegistryTables>,
  upload: { blobKey: string; nowMs: number },
): Promise<void> {
  await durable.insertInto("registry_uploads").values({ blob_key: upload.blobKey, since_ms: upload.nowMs }).execute();
}

/** Call after the bytes were removed. */
export async function forgetUpload({ durable }: Database<RegistryTables>, blobKey: string): Promise<void> {
  await durable.deleteFrom("registry_uploads").where("blob_key", "=", blobKey).execute();
}

/** From now on nobody can list these, so their bytes may be removed. */
async function giveUpUploads({ durable }: Database<RegistryTables>, olderThanMs: number): Promise<string[]> {
  const rows = await durable
    .updateTable("registry_uploads")
    .set({ is_given_up: 1 })
    .where("since_ms", "<", olderThanMs)
    .returning("blob_key")
    .execute();
  return rows.map(({ blob_key }) => blob_key);
}

type SweepOptions = {
  database: Database<RegistryTables>;
  blobs: BlobStore;
  home: string;
  nowMs: number;
  /** The real time, because files use it. */
  diskNowMs: number;
};

/**
 * Removes orphans: archives that were stored but never listed, and abandoned uploads. Young ones stay, because another
 * instance may be working on them.
 */
export async function sweepOrphans(options: SweepOptions): Promise<{ removed: number }> {
  const { database, blobs, home, nowMs, diskNowMs } = options;
  let removed = await sweepUploads(uploadsFolder(home), diskNowMs - PUBLISHING_LIMITS.orphanAfterMs);
  for (const key of await giveUpUploads(database, nowMs - PUBLISHING_LIMITS.orphanAfterMs)) {
    await blobs.remove(key);
    await forgetUpload(database, key);
    removed += 1;
  }
  return { removed };
}

/** At the start of a process: removes the half uploads of processes that were killed. A home folder belongs to one machine. */
export async function sweepHalfUploads(home: string): Promise<void> {
  const folder = uploadsFolder(home);
  for (const name of await uploadsIn(folder)) {
    const pid = Number.parseInt(name, 10);
    if (pid === process.pid || !isProcessAlive(pid)) await rm(join(folder, name), { force: true });
  }
}

async function uploadsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith(UPLOAD_SUFFIX));
}

async function sweepUploads(folder: string, oldestMs: number): Promise<number> {
  let removed = 0;
  for (const name of await uploadsIn(folder)) {
    const file = join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (!found || found.mtimeMs >= oldestMs) continue;
    await rm(file, { force: true });
    removed += 1;
  }
  return removed;
}

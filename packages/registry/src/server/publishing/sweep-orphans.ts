import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "@backplane/kit/database";
import type { BlobStore, ListedBlob } from "../blobs/blob-store.ts";
import type { RegistryTables } from "../tables.ts";
import { PUBLISHING_LIMITS } from "./limits.ts";
import { UPLOAD_SUFFIX, uploadsFolder } from "./receive-upload.ts";
import { ARCHIVES_PREFIX } from "./rows.ts";

/** Looked up in one query. */
const BATCH = 200;

export type SweepOptions = {
  database: Database<RegistryTables>;
  blobs: BlobStore;
  home: string;
  /** By the real clock: files and objects have its times. */
  nowMs: number;
};

/**
 * Removes what belongs to nothing: archives that were kept but never listed, and uploads that nobody receives any more.
 * Both are left alone until they are old, as those of another instance may be under way.
 */
export async function sweepOrphans({ database, blobs, home, nowMs }: SweepOptions): Promise<{ removed: number }> {
  const oldestMs = nowMs - PUBLISHING_LIMITS.orphanAfterMs;
  let removed = await sweepUploads(uploadsFolder(home), oldestMs);
  let batch: ListedBlob[] = [];
  const flush = async () => {
    for (const key of await unlisted(database, batch)) {
      await blobs.remove(key);
      removed += 1;
    }
    batch = [];
  };
  for await (const blob of blobs.list(ARCHIVES_PREFIX)) {
    if (blob.modifiedMs < oldestMs) batch.push(blob);
    if (batch.length === BATCH) await flush();
  }
  await flush();
  return { removed };
}

async function unlisted({ durable }: Database<RegistryTables>, batch: readonly ListedBlob[]): Promise<string[]> {
  if (batch.length === 0) return [];
  const keys = batch.map(({ key }) => key);
  const rows = await durable.selectFrom("registry_versions").select("blob_key").where("blob_key", "in", keys).execute();
  const listed = new Set(rows.map(({ blob_key }) => blob_key));
  return keys.filter((key) => !listed.has(key));
}

async function sweepUploads(folder: string, oldestMs: number): Promise<number> {
  let removed = 0;
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((found) => found.endsWith(UPLOAD_SUFFIX))) {
    const file = join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (!found || found.mtimeMs >= oldestMs) continue;
    await rm(file, { force: true });
    removed += 1;
  }
  return removed;
}

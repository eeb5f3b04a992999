import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "@backplane/kit/database";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { RegistryTables } from "../tables.ts";
import { forgetUpload, giveUpUploads } from "./kept-uploads.ts";
import { PUBLISHING_LIMITS } from "./limits.ts";
import { UPLOAD_SUFFIX, uploadsFolder } from "./receive-upload.ts";

export type SweepOptions = {
  database: Database<RegistryTables>;
  blobs: BlobStore;
  home: string;
  nowMs: number;
  /** The real time: files have no other. */
  diskNowMs: number;
};

/**
 * Removes what belongs to nothing: archives that were kept but never listed, and uploads that nobody receives any more.
 * Both are left alone until they are old, as those of another instance may be under way.
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

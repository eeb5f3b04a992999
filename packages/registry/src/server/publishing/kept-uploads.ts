import type { Database } from "@backplane/kit/database";
import type { RegistryTables } from "../tables.ts";

/**
 * Archives between being kept and being listed. Only what stands here is ever removed from the store as an orphan: with
 * the tables of another day, or empty ones, a look at the store alone would take every archive for one.
 */

/** Before the bytes are kept. */
export async function rememberUpload(
  { durable }: Database<RegistryTables>,
  upload: { blobKey: string; nowMs: number },
): Promise<void> {
  await durable.insertInto("registry_uploads").values({ blob_key: upload.blobKey, since_ms: upload.nowMs }).execute();
}

/** After the bytes were removed. */
export async function forgetUpload({ durable }: Database<RegistryTables>, blobKey: string): Promise<void> {
  await durable.deleteFrom("registry_uploads").where("blob_key", "=", blobKey).execute();
}

/** Those that nobody lists any more, from now on: their bytes may be removed. */
export async function giveUpUploads({ durable }: Database<RegistryTables>, olderThanMs: number): Promise<string[]> {
  const rows = await durable
    .updateTable("registry_uploads")
    .set({ is_given_up: 1 })
    .where("since_ms", "<", olderThanMs)
    .returning("blob_key")
    .execute();
  return rows.map(({ blob_key }) => blob_key);
}

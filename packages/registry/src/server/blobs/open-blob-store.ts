import type { BlobStore } from "./blob-store.ts";
import { openFolderStore } from "./folder-store.ts";
import type { S3Settings } from "./s3-calls.ts";
import { openS3Store } from "./s3-store.ts";

export type BlobSettings = { kind: "folder"; folder: string } | ({ kind: "s3" } & S3Settings);

/** The store that the settings name. */
export async function openBlobStore(settings: BlobSettings, fetch: typeof globalThis.fetch): Promise<BlobStore> {
  if (settings.kind === "folder") return openFolderStore(settings.folder);
  const { kind: _, ...s3 } = settings;
  return openS3Store({ ...s3, fetch });
}

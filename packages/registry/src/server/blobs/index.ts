import type { ArchiveSettings } from "@backplane/kit/settings";
import type { BlobStore } from "./blob-store.ts";
import { openFolderStore } from "./folder-store.ts";
import { openS3Store } from "./s3-store.ts";

export type { BlobStore } from "./blob-store.ts";
export { createS3Calls, refusedBy, S3_LIMITS, type S3Call, textIn } from "./s3-calls.ts";

export async function openBlobStore(settings: ArchiveSettings, fetch: typeof globalThis.fetch): Promise<BlobStore> {
  if (settings.kind === "folder") return openFolderStore(settings.folder);
  const { kind: _, ...s3 } = settings;
  return openS3Store({ ...s3, fetch });
}
export { abortUploads } from "./s3-uploads.ts";

import { randomUUID } from "node:crypto";
import { versionKey } from "../../versions/version-numbers.ts";
import type { Candidate } from "./examine-upload.ts";
import type { NewVersion } from "./listing.ts";
import type { Upload } from "./receive-upload.ts";

/** The folder of all archives in the blob store. */
const ARCHIVES_PREFIX = "archives/";

/** Identifiers that differ only in case would share a folder. */
export const identifierKey = (identifier: string): string => identifier.toLowerCase();

/** A unique name per upload, so that the loser of a race removes only its own bytes. */
export function newBlobKey({ package: { identifier }, version }: Candidate): string {
  return `${ARCHIVES_PREFIX}${identifierKey(identifier)}/${versionKey(version)}.${randomUUID()}.zip`;
}

type Publication = { ownerId: string; userId: string; isPrivate: boolean; blobKey: string; nowMs: number };

/** What gets listed. Sizes and hashes are measured, whatever the archive states. */
export function rowsOf(
  { package: pkg, version, number, icon, screenshots, panel, manifest, installSize, fileCount }: Candidate,
  { size, sha256 }: Pick<Upload, "size" | "sha256">,
  { ownerId, userId, isPrivate, blobKey, nowMs }: Publication,
): NewVersion {
  const identifier_key = identifierKey(pkg.identifier);
  const [epoch, major, minor, patch] = number;
  const { status, download_url: _, ...listed } = version;
  return {
    package: {
      identifier_key,
      identifier: pkg.identifier,
      owner_id: ownerId,
      metadata: JSON.stringify({ ...pkg, versions: [] }),
      icon: icon ?? null,
      created_at_ms: nowMs,
      updated_at_ms: nowMs,
      is_private: isPrivate ? 1 : 0,
    },
    version: {
      ...{ identifier_key, epoch, major, minor, patch, status },
      metadata: JSON.stringify({
        ...listed,
        download_sha256: sha256,
        download_size: size,
        install_size: installSize,
      }),
      blob_key: blobKey,
      ...{ sha256, size, install_size: installSize, file_count: fileCount },
      ...{ manifest: manifest.text, manifest_sha256: manifest.sha256, manifest_size: manifest.size },
      screenshots: screenshots ? JSON.stringify(screenshots) : null,
      panel: panel ? JSON.stringify(panel) : null,
      published_by: userId,
      published_at_ms: nowMs,
      downloads: 0,
    },
  };
}

import { ARCHIVE_LIMITS } from "@backplane/contract/registry";
import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { RateLimit, RateLimiter } from "@backplane/kit/rate-limiter";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { Owners } from "../owners.ts";
import type { RegistryTables } from "../tables.ts";
import type { RegistryQuota } from "./usage.ts";

export type PublishingOptions = {
  database: Database<RegistryTables>;
  blobs: BlobStore;
  whoIsCalling: WhoIsCalling;
  owners: Owners;
  quota: RegistryQuota;
  /** The brands whose spellings are accepted. */
  brands: readonly string[];
  baseUrl: string;
  home: string;
  now: Clock;
  newLimiter: (limit: RateLimit) => RateLimiter;
  onFault: (error: unknown) => void;
  /** Call after a commit: resolves when this instance serves the change. */
  changed(): Promise<void>;
  limits?: Partial<PublishingLimits>;
};

/** The limits of publishing; those of archives are `ARCHIVE_LIMITS` in the contract. */
export const PUBLISHING_LIMITS = {
  maxArchiveBytes: ARCHIVE_LIMITS.maxBytes as number,
  /** Simultaneous uploads, per process and per user. Each takes the size of an archive on disk. */
  maxUploads: 24,
  maxUploadsPerUser: 10,
  /** When all are taken, clients should retry after this time. */
  busyMs: 5_000,
  /** An upload that sends nothing for this long is aborted. */
  uploadIdleMs: 30_000,
  /** Enough for the largest archive at one megabit per second. */
  uploadWithinMs: 60 * 60 * 1_000,
  /** Uploads and status changes per user. */
  changes: { limit: 600, windowMs: 60 * 60 * 1_000 },
  /** A package with one version, as listed. Unknown keys are allowed, and every client downloads them. */
  maxListedBytes: 64 * 1024,
  /** Notes per answer. */
  maxNotes: 50,
  maxStatusBytes: 1_024,
  maxReasonBytes: 4_096,
  /** Orphaned archives and uploads are removed after this time. */
  orphanAfterMs: 60 * 60 * 1_000,
};
export type PublishingLimits = Readonly<typeof PUBLISHING_LIMITS>;

import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { RateLimit, RateLimiter } from "@backplane/kit/rate-limiter";
import { ARCHIVE_LIMITS } from "../../archives/archive.ts";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { Owners } from "../owners.ts";
import type { RegistryTables } from "../tables.ts";

export type PublishingOptions = {
  database: Database<RegistryTables>;
  blobs: BlobStore;
  whoIsCalling: WhoIsCalling;
  owners: Owners;
  /** Whose spellings of the metadata are taken. */
  brands: readonly string[];
  baseUrl: string;
  home: string;
  now: Clock;
  newLimiter: (limit: RateLimit) => RateLimiter;
  onFault: (error: unknown) => void;
  /** After a change was committed: resolves when this instance serves it. */
  changed(): Promise<void>;
  limits?: Partial<PublishingLimits>;
};

/** The bounds of publishing; those of what is in an archive are in `archives/archive.ts`. */
export const PUBLISHING_LIMITS = {
  maxArchiveBytes: ARCHIVE_LIMITS.maxBytes as number,
  /** Uploads at once: in this process, and of one person. Each takes the size of an archive on the disk. */
  maxUploads: 24,
  maxUploadsPerUser: 10,
  /** Whoever finds all of them taken comes back after this long. */
  busyMs: 5_000,
  /** An upload without a byte for this long is cut off, however fast it was before. */
  uploadIdleMs: 30_000,
  /** The largest archive on a line of a megabit a second takes most of it. */
  uploadWithinMs: 60 * 60 * 1_000,
  /** Uploads and changes of a status by one person. */
  changes: { limit: 600, windowMs: 60 * 60 * 1_000 },
  /** Of a package with one version in the list. Keys that nobody knows are legal, and every client reads them. */
  maxListedBytes: 64 * 1024,
  /** Named in one answer. */
  maxNotes: 50,
  maxStatusBytes: 1_024,
  /** An archive or upload that belongs to nothing goes when it is older. */
  orphanAfterMs: 60 * 60 * 1_000,
};
export type PublishingLimits = Readonly<typeof PUBLISHING_LIMITS>;

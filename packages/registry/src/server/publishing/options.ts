import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { RateLimit, RateLimiter } from "@backplane/kit/rate-limiter";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { Owners } from "../owners.ts";
import type { RegistryTables } from "../tables.ts";
import type { PublishingLimits } from "./limits.ts";

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

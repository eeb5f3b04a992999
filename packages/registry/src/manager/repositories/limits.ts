import { ARCHIVE_LIMITS } from "../../archives/archive.ts";
import type { TransferLimits } from "../manager-types.ts";

const MIB = 1024 * 1024;

export const TRANSFER_LIMITS: TransferLimits = {
  answerWithinMs: 30_000,
  silenceMs: 30_000,
  minBytesPerS: 500,
  maxRedirects: 5,
  maxAttempts: 5,
  retryPauseMs: 200,
  maxRepositoryBytes: 64 * 1024,
  maxPackagesBytes: 64 * MIB,
  maxResourcesBytes: 100 * MIB,
  maxManifestBytes: 16 * MIB,
  maxArchiveBytes: ARCHIVE_LIMITS.maxBytes,
  maxCachedArchiveBytes: 512 * MIB,
  maxBundleBytes: 1024 * MIB,
  maxRepositories: 32,
  waitForOthersMs: 15_000,
  maxLockBytes: 4 * MIB,
};

import { PANELS_LIMITS } from "@backplane/contract/panels";

export const LOG_LIMITS = {
  /** Lines that wait to be written; more of them are dropped, and their number is logged. */
  maxWaiting: 5_000,
  /** How long a line waits for others that are written with it. */
  batchMs: 20,
  /** Lines of one statement, and of one message to browsers: with the longest lines it still fits into the bus. */
  maxBatch: 100,
  /** After so many lines, the oldest ones of the workspace are removed. */
  trimEvery: 200,
  /** Workspaces whose lines are counted; of the one that was counted first they are removed before. */
  maxUntrimmed: 1_000,
  maxEntriesPerCall: 100,
  defaultListed: 200,
  maxListed: PANELS_LIMITS.maxLogEntries,
  maxSearchLength: 200,
} as const;

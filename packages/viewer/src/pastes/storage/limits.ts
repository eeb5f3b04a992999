import { VIEWER_LIMITS } from "@backplane/contract/viewer";

export const PASTES_LIMITS = {
  maxNameCharacters: VIEWER_LIMITS.maxNameCharacters,
  maxTextCharacters: VIEWER_LIMITS.maxTextCharacters,
  maxTitleCharacters: VIEWER_LIMITS.maxTitleCharacters,
  maxInstanceCharacters: VIEWER_LIMITS.maxInstanceCharacters,
  maxQueryCharacters: VIEWER_LIMITS.maxQueryCharacters,
  maxListed: VIEWER_LIMITS.maxListed,
  maxSearched: VIEWER_LIMITS.maxSearched,
  maxRemoved: VIEWER_LIMITS.maxRemoved,
  suggestions: VIEWER_LIMITS.suggestions,
  /** The next start deletes screenshots that were removed longer ago than this. */
  removedLifeMs: 3_600_000,
  /** Larger record files were not written by us. */
  maxRecordBytes: 524_288,
  /** Records that are read before other work may run. */
  readsAtOnce: 16,
  /** Searches that run at the same time, and searches that may wait. */
  searchesAtOnce: 2,
  maxSearchesWaiting: 32,
  /** Waiting changes per screenshot. */
  maxWaitingChanges: 100,
  /** Names whose last number is remembered. */
  maxRememberedNames: 1_000,
  /** Names tried for one screenshot, if each is taken at the last moment. */
  maxNamesTried: 1_000,
  excerptCharacters: 120,
  /** Sooner if it is named before. */
  squeezeAfterMs: 2_000,
} as const;

export type PastesLimits = { readonly [Limit in keyof typeof PASTES_LIMITS]: number };

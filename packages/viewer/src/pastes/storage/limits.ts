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
  /** A removed screenshot that is older than this is gone with the next start. */
  removedLifeMs: 3_600_000,
  /** A file of a record that is larger was not written here. */
  maxRecordBytes: 524_288,
  /** Records that are read before others have their turn. */
  readsAtOnce: 16,
  /** Searches that read records at the same time, and those that may wait for their turn. */
  searchesAtOnce: 2,
  maxSearchesWaiting: 32,
  /** Changes of one screenshot that may wait for each other. */
  maxWaitingChanges: 100,
  /** Names of which it is remembered how far their numbers go. */
  maxRememberedNames: 1_000,
  /** Names that are tried for one screenshot, should others take each of them at the last moment. */
  maxNamesTried: 1_000,
  excerptCharacters: 120,
  /** Unless it is named sooner. */
  squeezeAfterMs: 2_000,
} as const;

export type PastesLimits = { readonly [Limit in keyof typeof PASTES_LIMITS]: number };

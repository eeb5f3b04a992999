import { INTENT_LIMITS, MAX_MAX_AGE_S, MIN_MAX_AGE_S, POLL_INTERVAL_MS } from "@backplane/contract/intents";

/** Every wait and size of signing in, by name. */
export const SIGN_IN_LIMITS = {
  pollMs: POLL_INTERVAL_MS,
  /** Until then, creating an intent is tried again after a lost connection or 5xx: long enough for a restart of Backplane. */
  createWithinMs: 10_000,
  /** Before the second try; doubled each time. */
  createRetryMs: 500,
  /** The longest wait for the answer to one request. */
  answerMs: 10_000,
  /** Backplane pings every 15 s: a stream that is silent for longer is lost, or a proxy holds it back. */
  silenceMs: 20_000,
  /** Before a lost stream is opened again, unless the server says otherwise; doubled up to the maximum. */
  retryMs: 2_000,
  maxRetryMs: 10_000,
  /** After this many streams in a row that delivered nothing, only polling is used. */
  maxEmptyStreams: 3,
  /** Polls in a row that were answered with 5xx. With growing pauses this outlasts a restart of some minutes. */
  maxServerFaults: 20,
  /** Even if a server asks for a longer wait. */
  maxRetryAfterMs: 60_000,
  /** How long to wait for the server to end an intent that has ended by the clock of this machine. */
  expiryGraceMs: 5_000,
  /** Even if an intent claims to live longer. */
  maxLifeMs: 60 * 60_000,
  maxAnswerBytes: 1024 * 1024,
  maxLineLength: 16 * 1024,
  maxEventLength: 64 * 1024,
  maxTokenLength: 512,
  maxUrlLength: 4_096,
  maxAppNameLength: INTENT_LIMITS.maxAppNameLength,
  minMaxAgeS: MIN_MAX_AGE_S,
  maxMaxAgeS: MAX_MAX_AGE_S,
};

export type SignInLimits = typeof SIGN_IN_LIMITS;

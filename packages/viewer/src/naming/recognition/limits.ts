export const RECOGNISER_LIMITS = {
  /** Then the engine is ended, and the picture counts as without text. */
  imageTimeoutMs: 60_000,
  startTimeoutMs: 30_000,
  /** Waiting pictures; one more counts as without text. */
  maxWaiting: 256,
  /** Then a new engine replaces it, because its memory only grows. */
  imagesPerEngine: 200,
  /** The second engine ends after this long without work. */
  idleMs: 60_000,
  /** The longer side of what is recognised. */
  maxSide: 1_568,
  maxLines: 2_000,
  maxLineCharacters: 400,
  /** Of all lines; more than fits into a picture of this size. Processing more would block other work. */
  maxCharacters: 80_000,
} as const;

export type RecogniserLimits = { -readonly [Name in keyof typeof RECOGNISER_LIMITS]: number };

export const RECOGNISER_LIMITS = {
  /** An engine that has not answered by then is ended, and the picture has no text. */
  imageTimeoutMs: 60_000,
  startTimeoutMs: 30_000,
  /** Pictures that wait; one more has no text. */
  maxWaiting: 256,
  /** Its memory only grows: after so many pictures a fresh one takes its place. */
  imagesPerEngine: 200,
  /** The second engine ends when it had nothing to do for so long. */
  idleMs: 60_000,
  /** The longer side of what is recognised. */
  maxSide: 1_568,
  maxLines: 2_000,
  maxLineCharacters: 400,
  /** Of all lines: more than fits into a picture of this size. Rules over it take time, and nobody else has a turn meanwhile. */
  maxCharacters: 80_000,
} as const;

export type RecogniserLimits = { -readonly [Name in keyof typeof RECOGNISER_LIMITS]: number };

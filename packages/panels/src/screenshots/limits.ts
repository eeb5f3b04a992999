/** What only this part of the area bounds. */
export const SHOT_LIMITS = {
  /** A prompt that nobody answered stays after its call has ended: the user may share before the call is repeated. */
  promptLingerMs: 60_000,
  /** Of one workspace on one instance; who asks beyond that waits without one. */
  maxPrompts: 20,
  /** Events of other instances can be missed while the bus is away: look again. */
  relookMs: 1_000,
  retryAfterS: 5,
  /** The claim of a shot outlives its order a little, as clocks differ. */
  claimSlackMs: 2_000,
  /** Pictures that are decoded and encoded at a time; the rest wait. */
  maxEncodings: 2,
  /** Of one project. */
  maxSaved: 5_000,
  /** How many files of one name there may be. */
  maxSameName: 1_000,
  /** What a crash has left behind is that old. */
  leftoverAgeMs: 600_000,
  /** Projects that are known to have been looked through lately. */
  maxSweptKnown: 1_000,
} as const;

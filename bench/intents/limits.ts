/** Sizes and times of the intents' cases. */

/** So many that each is polled well under 10 times per second, which would count as a flood. */
export const polledIntents = 6_000;

export const heldStreams = 10_000;
/** Streams that are opened at the same time. */
export const openAtOnce = 100;
export const startSettleMs = 1_000;
/** Longer than the interval of our pings, which touch every stream. */
export const idleSettleMs = 20_000;
export const quickSettleMs = 1_000;

/** Of the waiters, those that are approved; the others wait until they expire. */
export const approvedWaiters = 300;
export const approvalsPerSecond = 20;
/** All are notified within this time after approval or expiry. */
export const notifiedWithinMs = 1_000;
export const memorySampleMs = 10_000;

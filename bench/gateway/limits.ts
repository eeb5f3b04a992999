/** Sizes and times of the gateway's cases. */

/**
 * So many that each registers well under 10 times a second, the contract's limit of a connection, at any speed that is
 * to be seen here.
 */
export const deliverSockets = 2_000;
export const latencyPerSecond = 1_000;

/** The limit of one gateway process, which fits under 20,000 open files. */
export const idleSockets = 19_000;
/** Files a process needs besides its sockets. */
export const otherFiles = 500;
/** Time to settle after a start. */
export const startSettleMs = 1_000;
/** Time to settle after the last registration; longer than our heartbeat, which touches every socket. */
export const idleSettleMs = 30_000;
export const quickSettleMs = 1_000;

/** Handshakes get faster for some seconds while the compiler optimises. */
export const warmUpS = 6;

export const heldSockets = 50_000;
export const heldProcesses = 3;
export const holdS = 10 * 60;
export const quickHoldS = 10;
export const maxHeldMegabytes = 700;
/** A connection lives 15 minutes: connecting and the last callbacks need some of them. */
export const maxHoldS = 12 * 60;
export const memorySampleMs = 5_000;

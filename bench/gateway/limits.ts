/** Sizes and times of the gateway's cases. */

/**
 * So many that each registers well under 10 times a second, the contract's limit of a connection, at any speed that is
 * to be seen here.
 */
export const deliverSockets = 2_000;
export const latencyPerSecond = 1_000;

/** The most that one process of ours takes, and what fits under a limit of 20,000 open files. */
export const idleSockets = 19_000;
/** Files a process needs besides its sockets. */
export const otherFiles = 500;
/** After a start, until it has come to rest. */
export const startSettleMs = 1_000;
/** After the last socket was registered; longer than a heartbeat of ours, which touches every socket, takes to come. */
export const idleSettleMs = 30_000;
export const quickSettleMs = 1_000;

/** Handshakes keep getting faster for some seconds, as the compiler learns. */
export const warmUpS = 6;

export const heldSockets = 50_000;
export const heldProcesses = 3;
export const holdS = 10 * 60;
export const quickHoldS = 10;
export const maxHeldMegabytes = 700;
/** A connection lives 15 minutes: connecting and the last callbacks need some of them. */
export const maxHoldS = 12 * 60;
export const memorySampleMs = 5_000;

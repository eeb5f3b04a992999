/** All time-outs and limits of the test services. */
export const startTimeoutMs = 60_000;
export const endTimeoutMs = 10_000;
export const settleMs = 3_000;
export const settleStepMs = 250;
export const probeIntervalMs = 50;
export const connectTimeoutMs = 2_000;
export const startAttempts = 5;
export const retryDelayMs = 300;
export const quietMs = 1_000;
export const progressEveryMs = 15_000;
export const dpkgLockTimeoutS = 300;
export const logTailLines = 12;
/** How long a port is kept from other tests. */
export const portClaimMs = 60 * 60_000;

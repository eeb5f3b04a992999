/** All counts, time-outs and limits of the benches. */
export const minRepetitions = 5;
export const defaultRepetitions = 7;
/** Run before those and left out of the figures: caches, pools and compilers are still settling. */
export const droppedRepetitions = 1;
export const loadS = 3;
/** Servers under load take turns: the same seconds, in short pieces. */
export const turns = 3;
export const turnS = loadS / turns;
export const warmUpS = 2;
export const sliceMs = 1_000;
export const warmUpSliceMs = 500;

/** `--quick`: enough to see that a bench works, too little for real figures. */
export const quickRepetitions = 2;
export const quickLoadS = 1;
export const quickSliceMs = 250;

/** While latencies are measured, other processes may use this share of a core. */
export const quietCores = 0.25;
export const quietSampleMs = 400;
/** How long one comparison may wait for that, and try again. */
export const quietPatienceMs = 5 * 60_000;

export const connections = 32;
export const startTimeoutMs = 15_000;
export const readyPollMs = 25;
export const probeTimeoutMs = 5_000;
/** How much longer than asked a load generator may take. */
export const loadGraceMs = 15_000;
export const progressEveryMs = 10_000;

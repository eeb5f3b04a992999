import type { Point } from "./exponent.ts";

/**
 * How a cost may grow. flat: people wait for it and do not look at what grows. linear: it must read, write or hold all of it.
 */
export type Bar = "flat" | "linear";

export type Unit = "ms of CPU" | "s of CPU" | "MB" | "KB";

/** What something costs with each size. */
export type Curve = { name: string; unit: Unit; bar: Bar; points: readonly Point[] };

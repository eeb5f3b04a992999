import { availableParallelism } from "node:os";

// Every wait and limit of the test run, by name.

/** Test processes at a time. Two for each core: tests wait too. With four, the same work took 5 % more CPU time. */
export const processes = Math.min(8, 2 * availableParallelism());
/** Beside them: examples and tests with services wait more than they work. */
export const waitingProcesses = Math.min(4, availableParallelism());
export const stepTimeoutMs = 5 * 60_000;
export const exampleTimeoutMs = 10 * 60_000;
export const longStepTimeoutMs = 3 * 60 * 60_000;
/** The size of all temporary files of a run together. */
export const scratchBytes = 3 * 1024 ** 3;
/** Checks that run at the same time. */
export const stepConcurrency = 2;
export const progressEveryMs = 10_000;
export const refreshMs = 500;
/** How many of the slowest files are printed after each phase. */
export const slowestShown = 4;
/** How many lines of the output of a failing file or step are printed. */
export const shownLines = 60;

export type PhaseLimits = {
  /** Files that share a process, unless they need one of their own. */
  groupSize: number;
  testTimeoutMs: number;
  /** A process whose tests are done but that does not end, or that never starts one. */
  processTimeoutMs: number;
};

/** These bound a hang, not the work: on a machine that has other work too, everything takes many times as long. */
export const unitLimits: PhaseLimits = {
  groupSize: 40,
  testTimeoutMs: 10 * 60_000,
  processTimeoutMs: 30 * 60_000,
};
export const e2eLimits: PhaseLimits = { ...unitLimits, groupSize: 4 };

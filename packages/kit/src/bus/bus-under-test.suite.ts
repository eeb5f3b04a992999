import type { Bus } from "./bus.ts";
import type { BusFault } from "./fault.ts";

/** What the laws are checked on: two ends of one bus (the same twice when it lives in one process). */
export interface BusUnderTest extends AsyncDisposable {
  readonly one: Bus;
  readonly other: Bus;
  /** What was reported through `onFault`, by either end. */
  readonly faults: readonly BusFault[];
  /** Moves the clock if it can be moved. Where it cannot, tests wait for what they expect. */
  advance(ms: number): void;
}

export type OpenForTest = () => Promise<BusUnderTest>;

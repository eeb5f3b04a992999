import { DEVICES_LIMITS } from "@backplane/contract/devices";

const MINUTE_MS = 60_000;

/** Counts what is refused of one device. */
export type Refusals = {
  readonly total: number;
  /** True once per minute: there were so many that the device gets an alert. */
  add(nowMs: number): boolean;
  /** True: a minute was quiet, and the alert can go. */
  isOver(nowMs: number): boolean;
};

export function createRefusals(limit: number = DEVICES_LIMITS.refusedBeforeAlert): Refusals {
  let total = 0;
  let minuteMs = Number.NEGATIVE_INFINITY;
  let count = 0;
  let alertedAtMs: number | undefined;
  return {
    get total() {
      return total;
    },
    add(nowMs) {
      total += 1;
      if (nowMs - minuteMs >= MINUTE_MS || nowMs < minuteMs) {
        minuteMs = nowMs;
        count = 0;
      }
      count += 1;
      if (count < limit) return false;
      const isFirst = count === limit;
      alertedAtMs = nowMs;
      return isFirst;
    },
    isOver(nowMs) {
      if (alertedAtMs === undefined || nowMs - alertedAtMs < MINUTE_MS) return false;
      alertedAtMs = undefined;
      return true;
    },
  };
}

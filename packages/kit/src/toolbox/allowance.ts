const SECOND_MS = 1_000;

/** A token bucket: so many at once, and so many per second. */
export type Allowance = {
  /** False: too many. */
  take(count?: number): boolean;
};

export function createAllowance({
  burst,
  perSecond,
  now = () => performance.now(),
}: {
  burst: number;
  perSecond: number;
  now?: () => number;
}): Allowance {
  let left = burst;
  let seenAtMs = now();
  return {
    take(count = 1) {
      const nowMs = now();
      left = Math.min(burst, left + ((nowMs - seenAtMs) / SECOND_MS) * perSecond);
      seenAtMs = nowMs;
      if (left < count) return false;
      left -= count;
      return true;
    },
  };
}

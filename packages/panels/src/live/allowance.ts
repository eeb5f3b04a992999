/** Lets messages through at a rate, with a burst. */
export type Allowance = {
  /** False: too many. */
  take(): boolean;
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
    take() {
      const nowMs = now();
      left = Math.min(burst, left + ((nowMs - seenAtMs) / 1_000) * perSecond);
      seenAtMs = nowMs;
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}

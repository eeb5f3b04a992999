import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { monotonicMs } from "./clock.ts";
import { lostAfterMs, tickerLeadMs } from "./limits.ts";

/** When callbacks are due. */
export type Pace = {
  /** When the next callback was due, if it is due now; the caller must then send it. */
  takeDue(): number | undefined;
  /** Resolves when no more are due. `wake` is called when one may be due. */
  run(wake: () => void): Promise<void>;
};

export function asFastAsPossible(forMs: number): Pace {
  let endMs = 0;
  return {
    takeDue() {
      const nowMs = monotonicMs();
      return nowMs < endMs ? nowMs : undefined;
    },
    async run(wake) {
      endMs = monotonicMs() + forMs;
      wake();
      await delay(forMs);
    },
  };
}

export function countedOut(count: number): Pace {
  let left = count;
  const { promise, resolve } = Promise.withResolvers<void>();
  // A subscriber that is gone is never called, so the count may not be reached.
  const stall = setTimeout(resolve, lostAfterMs);
  return {
    takeDue() {
      if (left === 0) return undefined;
      left -= 1;
      if (left === 0) resolve();
      stall.refresh();
      return monotonicMs();
    },
    async run(wake) {
      wake();
      await promise;
      clearTimeout(stall);
    },
  };
}

export type TickerData = { firstMs: number; intervalMs: number; count: number; leadMs: number };

/** Long enough for a thread to start. */
const FIRST_AFTER_MS = 300;
const BEHIND_STEP_MS = 1;

/**
 * A thread that does nothing but sleep wakes this one a little early, and the rest is waited for awake: timers of the
 * event loop are whole milliseconds. What is due and cannot be sent stays due, so a stall counts in full.
 */
export function fixedRate(perSecond: number, forMs: number): Pace {
  const intervalMs = 1_000 / perSecond;
  const count = Math.floor(forMs / intervalMs);
  let firstMs = Number.POSITIVE_INFINITY;
  let taken = 0;
  const nextMs = () => firstMs + taken * intervalMs;
  return {
    takeDue() {
      const dueMs = nextMs();
      if (taken === count || dueMs > monotonicMs()) return undefined;
      taken += 1;
      return dueMs;
    },
    async run(wake) {
      firstMs = monotonicMs() + FIRST_AFTER_MS;
      const workerData: TickerData = { firstMs, intervalMs, count, leadMs: tickerLeadMs };
      const ticker = new Worker(new URL("./ticker.ts", import.meta.url), { workerData });
      const stayAwake = () => {
        wake();
        if (taken < count && nextMs() - monotonicMs() < tickerLeadMs) setImmediate(stayAwake);
      };
      ticker.on("message", stayAwake);
      await once(ticker, "exit");
      // Behind after a stall: everything that was due is still sent, so that the worst latencies are included.
      for (const untilMs = monotonicMs() + lostAfterMs; taken < count && monotonicMs() < untilMs; ) {
        wake();
        await delay(BEHIND_STEP_MS);
      }
    },
  };
}

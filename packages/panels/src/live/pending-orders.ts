import type { BrowserMessage } from "@backplane/contract/panels";
import type { Answered } from "../services.ts";

type Answer = Extract<BrowserMessage, { type: "answer" }>;

export const NO_BROWSER: Answered = { ok: false, reason: "no-browser" };
export const TIMED_OUT: Answered = { ok: false, reason: "timeout" };
export const BUSY: Answered = { ok: false, reason: "busy" };

type Settle = (answered: Answered) => void;

/** Orders that one browser has not answered. The first thing that settles an order wins; the rest is ignored. */
export type PendingOrders = {
  bytes(): number;
  /** Resolves with the answer, or with a timeout; `onOver` is called in both cases. */
  wait(
    id: string,
    options: {
      bytes: number;
      timeoutMs: number;
      signal: AbortSignal | undefined;
      onOver(wasAnswered: boolean): void;
    },
  ): Promise<Answered>;
  /** False: nobody waits for this answer, or no longer. */
  answer(answer: Answer): boolean;
  withdraw(id: string): void;
  /** The browser is gone. Nobody knows whether it carried out its orders. */
  abandon(): void;
};

export function createPendingOrders(): PendingOrders {
  const waiting = new Map<string, Settle>();
  let bytes = 0;

  return {
    bytes: () => bytes,
    wait(id, { bytes: ownBytes, timeoutMs, signal, onOver }) {
      const { promise, resolve } = Promise.withResolvers<Answered>();
      const timer = setTimeout(() => settle(TIMED_OUT), timeoutMs);
      const onAbort = () => settle(TIMED_OUT);
      signal?.addEventListener("abort", onAbort, { once: true });
      function settle(answered: Answered): void {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        waiting.delete(id);
        bytes -= ownBytes;
        onOver(answered !== TIMED_OUT);
        resolve(answered);
      }
      waiting.set(id, settle);
      bytes += ownBytes;
      return promise;
    },
    answer(answer) {
      const settle = waiting.get(answer.id);
      if (!settle) return false;
      settle(
        answer.ok
          ? { ok: true, value: answer.value }
          : { ok: false, reason: "refused", code: answer.code, detail: answer.detail },
      );
      return true;
    },
    withdraw: (id) => waiting.get(id)?.(TIMED_OUT),
    abandon() {
      for (const settle of [...waiting.values()]) settle(TIMED_OUT);
    },
  };
}

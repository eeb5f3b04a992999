import type { BrowserMessage } from "@backplane/contract/panels";
import type { Answered } from "../services.ts";

type Answer = Extract<BrowserMessage, { type: "answer" }>;

export const NO_BROWSER: Answered = { ok: false, reason: "no-browser" };
export const UNREACHED: Answered = { ok: false, reason: "unreached" };
export const UNKNOWN: Answered = { ok: false, reason: "unknown" };
export const BUSY: Answered = { ok: false, reason: "busy" };

type Settle = (answered: Answered) => void;

/** Orders that one browser has not answered. The first thing that settles an order wins; the rest is ignored. */
export type PendingOrders = {
  bytes(): number;
  /** Resolves with the answer; "unknown" when none comes in time. `onOver` is called in both cases. */
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
  /** Resolves when all are answered, or when the time is up. */
  none(withinMs: number): Promise<void>;
  /** The browser is gone. Nobody knows whether it carried out its orders. */
  abandon(): void;
};

export function createPendingOrders(): PendingOrders {
  const waiting = new Map<string, Settle>();
  let bytes = 0;
  let onNone = () => {};

  return {
    bytes: () => bytes,
    wait(id, { bytes: ownBytes, timeoutMs, signal, onOver }) {
      const { promise, resolve } = Promise.withResolvers<Answered>();
      const timer = setTimeout(() => settle(UNKNOWN), timeoutMs);
      const onAbort = () => settle(UNKNOWN);
      signal?.addEventListener("abort", onAbort, { once: true });
      function settle(answered: Answered): void {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        waiting.delete(id);
        if (waiting.size === 0) onNone();
        bytes -= ownBytes;
        onOver(answered !== UNKNOWN);
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
    withdraw: (id) => waiting.get(id)?.(UNKNOWN),
    none(withinMs) {
      if (waiting.size === 0) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      onNone = resolve;
      const timer = setTimeout(resolve, withinMs);
      return promise.finally(() => clearTimeout(timer));
    },
    abandon() {
      for (const settle of [...waiting.values()]) settle(UNKNOWN);
    },
  };
}

import type { Reply } from "./bus.ts";
import { BusFault } from "./fault.ts";
import { MAX_PENDING_REQUESTS } from "./limits.ts";

/** Calls back once after a delay. Returns the function that prevents it. */
export type SetTimer = (callback: () => void, delayMs: number) => () => void;

export const realTimer: SetTimer = (callback, delayMs) => {
  const timer = setTimeout(callback, delayMs);
  return () => clearTimeout(timer);
};

export interface PendingRequest {
  readonly id: string;
  /** Waits for the outcome. Rejects only when the bus was closed meanwhile. */
  reply(): Promise<Reply>;
}

/** The requests of one bus that have not been answered yet. Whatever settles one first wins; the rest is ignored. */
export interface PendingRequests {
  /** Starts waiting. Throws "too-many" when the bound is reached. */
  open(timeoutMs: number): PendingRequest;
  settle(id: string, reply: Reply): void;
  /** Ends all of them as unavailable: their answers can no longer arrive. */
  abandon(): void;
  /** Ends all of them by the fault "closed". */
  close(): void;
}

export function createPendingRequests(setTimer: SetTimer): PendingRequests {
  const waiting = new Map<string, (reply: Reply | "closed") => void>();
  let lastId = 0;

  function settleAll(reply: Reply | "closed"): void {
    for (const settle of [...waiting.values()]) settle(reply);
  }

  return {
    open(timeoutMs) {
      if (waiting.size >= MAX_PENDING_REQUESTS) {
        throw new BusFault("too-many", `this bus has ${MAX_PENDING_REQUESTS} requests pending already`);
      }
      lastId += 1;
      const id = lastId.toString(36);
      const { promise, resolve } = Promise.withResolvers<Reply | "closed">();
      const cancelTimer = setTimer(() => settle({ ok: false, reason: "timeout" }), timeoutMs);
      function settle(reply: Reply | "closed"): void {
        cancelTimer();
        waiting.delete(id);
        resolve(reply);
      }
      waiting.set(id, settle);
      // A promise that rejects while its request is still being sent would count as unhandled; hence a function.
      return { id, reply: () => promise.then(refuseClosed) };
    },
    settle: (id, reply) => waiting.get(id)?.(reply),
    abandon: () => settleAll({ ok: false, reason: "unavailable" }),
    close: () => settleAll("closed"),
  };
}

function refuseClosed(reply: Reply | "closed"): Reply {
  if (reply === "closed") throw new BusFault("closed", "the bus was closed before the reply came");
  return reply;
}

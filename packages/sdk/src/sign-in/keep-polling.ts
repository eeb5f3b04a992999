import type { Naps } from "./nap.ts";
import { poll, type StatusAsk } from "./poll.ts";

export type Polling = {
  asking: StatusAsk & { signal: AbortSignal };
  naps: Naps;
  /** While a stream is live there is nothing to poll for. */
  isNeeded(): boolean;
  onContact(isReached: boolean): void;
};

/** Polls until the session comes, whenever nothing else would bring it. Throws SignInError; undefined when stopped. */
export async function keepPolling({ asking, naps, isNeeded, onContact }: Polling): Promise<string | undefined> {
  const { limits, signal } = asking;
  let serverFaults = 0;
  let pauseMs = limits.pollMs;
  for (;;) {
    const isAsked = await naps.nap(pauseMs);
    pauseMs = limits.pollMs;
    if (signal.aborted) return undefined;
    if (!isAsked && !isNeeded()) continue;
    const polled = await poll(asking);
    if (signal.aborted) return undefined;
    onContact(polled.kind !== "no-answer");
    switch (polled.kind) {
      case "authenticated":
        return polled.sessionToken;
      case "pending":
        serverFaults = 0;
        break;
      case "busy": {
        const { status = 0, retryAfterMs } = polled.error;
        if (status >= 500) serverFaults += 1;
        if (serverFaults > limits.maxServerFaults) throw polled.error;
        const ownMs = Math.min(limits.pollMs * 2 ** serverFaults, limits.maxRetryMs);
        pauseMs = Math.min(retryAfterMs ?? ownMs, limits.maxRetryAfterMs);
        break;
      }
      case "no-answer":
        break;
    }
  }
}

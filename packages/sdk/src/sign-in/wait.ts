import { createDeferred } from "../flow/deferred.ts";
import { SignInError, unreachable, wasAborted } from "./errors.ts";
import { keepPolling } from "./keep-polling.ts";
import { keepStreaming } from "./keep-streaming.ts";
import { createNaps } from "./nap.ts";
import type { StatusAsk } from "./poll.ts";

/** How the wait goes, for a log or a spinner. */
export type SignInEvent = { type: "waiting"; by: "stream" | "polling" } | { type: "lost" };

export type Waiting = StatusAsk & {
  /** How long the intent lives. */
  lifeMs: number;
  timeoutMs: number | undefined;
  random(): number;
  /** Tells the person. What it throws or rejects with ends the wait. */
  show(): unknown;
  onState: ((event: SignInEvent) => void) | undefined;
};

/**
 * Waits for one session by a stream, and by polls while there is none that brings anything. Ends by exactly one of: the
 * session, a refusal, the intent's end, a time-out, the signal.
 */
export async function waitForSession(waiting: Waiting): Promise<string> {
  const { root, signal, limits, lifeMs, timeoutMs } = waiting;
  const over = createDeferred<string>();
  const stop = new AbortController();
  const asking = { ...waiting, signal: stop.signal };
  const naps = createNaps(stop.signal);
  let isLive = false;
  let told: SignInEvent | undefined;

  function tell(event: SignInEvent): void {
    if (JSON.stringify(event) === JSON.stringify(told)) return;
    told = event;
    try {
      waiting.onState?.(event);
    } catch {
      // A listener's fault must not cost the user the session.
    }
  }
  const settle = (sessionToken: string | undefined) => {
    if (sessionToken !== undefined) over.resolve(sessionToken);
  };

  const onAbort = () => over.reject(wasAborted(signal?.reason));
  const onEnd = () => over.reject(told?.type === "lost" ? unreachable(root, "at the end of the wait") : expired());
  const timers = [setTimeout(onEnd, lifeMs + limits.expiryGraceMs)];
  if (timeoutMs !== undefined) timers.push(setTimeout(() => over.reject(timedOut(timeoutMs)), timeoutMs));
  signal?.addEventListener("abort", onAbort);
  const shown = new Promise((resolve) => resolve(waiting.show()));
  shown.catch(over.reject);
  if (signal?.aborted === true) onAbort();
  else {
    const { random } = waiting;
    const onLive = (isLiveNow: boolean) => {
      isLive = isLiveNow;
      if (isLive) tell({ type: "waiting", by: "stream" });
    };
    keepStreaming({ asking, random, onLive, onDoubt: naps.ring }).then(settle, over.reject);
    const onContact = (isReached: boolean) => tell(isReached ? { type: "waiting", by: "polling" } : { type: "lost" });
    keepPolling({ asking, naps, isNeeded: () => !isLive, onContact }).then(settle, over.reject);
  }
  try {
    return await over.promise;
  } finally {
    stop.abort();
    for (const timer of timers) clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

const expired = (): SignInError =>
  new SignInError("expired", "Nobody approved the sign-in while its link was valid. Start again.");

function timedOut(timeoutMs: number): SignInError {
  const time = timeoutMs >= 60_000 ? `${Math.round(timeoutMs / 60_000)} min` : `${timeoutMs / 1_000} s`;
  return new SignInError("timed-out", `Nobody approved the sign-in within ${time}. Start again.`);
}

import { unreachable } from "../call.ts";
import { createDeferred } from "../deferred.ts";
import { SignInError } from "../errors.ts";
import { createSleeper } from "../keep-trying.ts";
import { shownTime } from "../text.ts";
import { keepPolling, type StatusAsk } from "./poll.ts";
import { keepStreaming } from "./stream.ts";

/** The steps of the wait, for a log or a spinner. */
export type SignInEvent = { type: "waiting"; by: "stream" | "polling" } | { type: "lost" };

export type Waiting = StatusAsk & {
  /** How long the intent lives. */
  lifeMs: number;
  timeoutMs: number | undefined;
  random(): number;
  /** Shows the link. What it throws or rejects with ends the wait. */
  show(): unknown;
  onState: ((event: SignInEvent) => void) | undefined;
};

/**
 * Waits for one session on a stream, and by polling while no stream works. Ends with exactly one of: the session, a
 * refusal, the end of the intent, a time-out, the signal.
 */
export async function waitForSession(waiting: Waiting): Promise<string> {
  const { root, signal, limits, lifeMs, timeoutMs } = waiting;
  const over = createDeferred<string>();
  const stop = new AbortController();
  const asking = { ...waiting, signal: stop.signal };
  const sleeper = createSleeper(stop.signal);
  let isLive = false;
  let last: SignInEvent | undefined;

  function emit(event: SignInEvent): void {
    if (JSON.stringify(event) === JSON.stringify(last)) return;
    last = event;
    try {
      waiting.onState?.(event);
    } catch {
      // The user must not lose the session because a listener throws.
    }
  }
  const settle = (sessionToken: string | undefined) => {
    if (sessionToken !== undefined) over.resolve(sessionToken);
  };

  const onAbort = () => over.reject(aborted(signal?.reason));
  const onEnd = () =>
    over.reject(last?.type === "lost" ? unreachable(SignInError, root, "at the end of the wait") : expired());
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
      if (isLive) emit({ type: "waiting", by: "stream" });
    };
    keepStreaming({ asking, random, onLive, onDoubt: sleeper.wake }).then(settle, over.reject);
    const onContact = (isReached: boolean) => emit(isReached ? { type: "waiting", by: "polling" } : { type: "lost" });
    keepPolling({ asking, sleeper, isNeeded: () => !isLive, onContact }).then(settle, over.reject);
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
  return new SignInError("timed-out", `Nobody approved the sign-in within ${shownTime(timeoutMs)}. Start again.`);
}

const aborted = (reason: unknown): SignInError =>
  new SignInError("aborted", "Signing in was stopped before it was done. Start again to sign in.", { cause: reason });

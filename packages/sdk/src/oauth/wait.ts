import { createDeferred } from "../deferred.ts";
import { connectingAborted, OAuthError } from "../errors.ts";
import {
  type KeepRegisteredOptions,
  type KeptRegistration,
  keepRegistered,
  type RegistrationEvents,
} from "../gateway/keep-registered.ts";
import { shownTime } from "../text.ts";
import { type Answer, type ExpectedIssuer, readAnswer } from "./answer.ts";

/** The steps of a flow. `lost` is followed by another `connecting`. */
export type OAuthFlowEvent =
  | { type: "connecting"; attempt: number }
  | { type: "registered" }
  | { type: "lost"; retryInMs: number }
  | { type: "received" }
  | { type: "failed"; error: OAuthError };

export type WaitOptions = Omit<KeepRegisteredOptions, "events"> & {
  expected: ExpectedIssuer;
  connectTimeoutMs: number;
  timeoutMs: number;
  signal: AbortSignal | undefined;
  onState: ((event: OAuthFlowEvent) => void) | undefined;
};

export type Wait = {
  /** Resolves when the gateway has accepted the registration. */
  registered: Promise<void>;
  answer: Promise<Answer>;
  close(): void;
};

/** Waits for one answer. Ends with exactly one of: the answer, a refusal, a time-out, the signal, `close`. */
export function waitForAnswer(options: WaitOptions): Wait {
  const { url, signal, connectTimeoutMs, timeoutMs, expected } = options;
  const registered = createDeferred<void>();
  const answer = createDeferred<Answer>();
  let isRegistered = false;
  let isConnected = false;
  let isOver = false;
  let kept: KeptRegistration | undefined;

  function emit(event: OAuthFlowEvent): void {
    try {
      options.onState?.(event);
    } catch {
      // The user must not lose the code because a listener throws.
    }
  }

  function end(outcome: Answer | OAuthError): void {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    kept?.end();
    if (outcome instanceof OAuthError) {
      registered.reject(outcome);
      answer.reject(outcome);
      emit({ type: "failed", error: outcome });
    } else {
      answer.resolve(outcome);
      emit({ type: "received" });
    }
  }

  const onAbort = () => end(connectingAborted(signal?.reason));
  const events: RegistrationEvents = {
    onConnecting: (attempt) => emit({ type: "connecting", attempt }),
    onRegistered() {
      isConnected = true;
      if (!isRegistered) {
        isRegistered = true;
        clearTimeout(timer);
        timer = setTimeout(() => end(timedOut(timeoutMs, isConnected)), timeoutMs);
        registered.resolve();
      }
      emit({ type: "registered" });
    },
    onLost(retryInMs) {
      isConnected = false;
      emit({ type: "lost", retryInMs });
    },
    onFinal: (message) => end(readAnswer(message, expected, isRegistered)),
  };

  let timer = setTimeout(() => end(unreachable(url)), connectTimeoutMs);
  signal?.addEventListener("abort", onAbort);
  if (signal?.aborted === true) onAbort();
  else kept = keepRegistered({ ...options, events });
  // A listener may have aborted at the first event, before there was a registration to end.
  if (isOver) kept?.end();

  return { registered: registered.promise, answer: answer.promise, close: () => end(connectingAborted(undefined)) };
}

function unreachable(url: string): OAuthError {
  const { host, pathname } = new URL(url);
  const place = `${host}${pathname}`.replace(/\/(ws)?$/, "");
  return new OAuthError(
    "gateway-unreachable",
    `The gateway at ${place} does not answer. Check that it is running and that this machine can reach it, then try again.`,
    { field: "gatewayUrl" },
  );
}

function timedOut(timeoutMs: number, isConnected: boolean): OAuthError {
  const fault = isConnected ? "Nobody finished signing in" : "The connection to the gateway was lost: no answer";
  return new OAuthError("timed-out", `${fault} within ${shownTime(timeoutMs)}. Start again.`);
}

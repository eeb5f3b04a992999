import { aborted, OAuthError } from "../errors.ts";
import { type Link, type LinkEvents, type LinkOptions, openLink } from "../gateway/gateway-link.ts";
import { type Answer, type ExpectedIssuer, readAnswer } from "./answer.ts";
import { createDeferred } from "./deferred.ts";
import type { OAuthFlowEvent } from "./flow-event.ts";

export type WaitOptions = Omit<LinkOptions, "events"> & {
  expected: ExpectedIssuer;
  connectTimeoutMs: number;
  timeoutMs: number;
  signal: AbortSignal | undefined;
  onState: ((event: OAuthFlowEvent) => void) | undefined;
};

export type Wait = {
  /** The gateway waits for the state. */
  registered: Promise<void>;
  answer: Promise<Answer>;
  close(): void;
};

/** Waits for one answer, and ends by exactly one of: the answer, a refusal, a time-out, the signal, `close`. */
export function waitForAnswer(options: WaitOptions): Wait {
  const { url, signal, connectTimeoutMs, timeoutMs, expected } = options;
  const registered = createDeferred<void>();
  const answer = createDeferred<Answer>();
  let isRegistered = false;
  let isConnected = false;
  let isOver = false;
  let link: Link | undefined;

  function tell(event: OAuthFlowEvent): void {
    try {
      options.onState?.(event);
    } catch {
      // A listener's fault must not cost the user the code.
    }
  }

  function end(outcome: Answer | OAuthError): void {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    link?.end();
    if (outcome instanceof OAuthError) {
      registered.reject(outcome);
      answer.reject(outcome);
      tell({ type: "failed", error: outcome });
    } else {
      answer.resolve(outcome);
      tell({ type: "received" });
    }
  }

  const onAbort = () => end(aborted(signal?.reason));
  const events: LinkEvents = {
    onConnecting: (attempt) => tell({ type: "connecting", attempt }),
    onRegistered() {
      isConnected = true;
      if (!isRegistered) {
        isRegistered = true;
        clearTimeout(timer);
        timer = setTimeout(() => end(timedOut(timeoutMs, isConnected)), timeoutMs);
        registered.resolve();
      }
      tell({ type: "registered" });
    },
    onLost(retryInMs) {
      isConnected = false;
      tell({ type: "lost", retryInMs });
    },
    onFinal: (news) => end(readAnswer(news, expected, isRegistered)),
  };

  let timer = setTimeout(() => end(unreachable(url)), connectTimeoutMs);
  signal?.addEventListener("abort", onAbort);
  if (signal?.aborted === true) onAbort();
  else link = openLink({ ...options, events });
  // A listener may have aborted at the first event, before there was a link to end.
  if (isOver) link?.end();

  return { registered: registered.promise, answer: answer.promise, close: () => end(aborted(undefined)) };
}

function unreachable(url: string): OAuthError {
  const { host, pathname } = new URL(url);
  const place = `${host}${pathname}`.replace(/\/(ws)?$/, "");
  return new OAuthError(
    "gateway-unreachable",
    `The gateway at ${place} does not answer. Check that it runs and that this machine reaches it, then try again.`,
    { field: "gatewayUrl" },
  );
}

function timedOut(timeoutMs: number, isConnected: boolean): OAuthError {
  const time = timeoutMs >= 60_000 ? `${Math.round(timeoutMs / 60_000)} min` : `${timeoutMs / 1_000} s`;
  const fault = isConnected ? "Nobody finished signing in" : "The gateway was lost, and nothing arrived";
  return new OAuthError("timed-out", `${fault} within ${time}. Start again.`);
}

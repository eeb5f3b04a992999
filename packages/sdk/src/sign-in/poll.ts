import { type IntentStatus, VERIFIER_HEADER } from "@backplane/contract/intents";
import { SignInError } from "../errors.ts";
import type { Sleeper } from "../keep-trying.ts";
import { ask, isAnswer, unexpectedAnswer } from "../request.ts";
import { isObject } from "../text.ts";
import { type Asking, intentRefusal } from "./intent.ts";

/** Where to ask about an intent, with the proof that this program made it. */
export type StatusAsk = Asking & { url: string; verifier: string; secrets: readonly string[] };

export type Polling = {
  asking: StatusAsk & { signal: AbortSignal };
  sleeper: Sleeper;
  /** While a stream works, polling is not needed. */
  isNeeded(): boolean;
  onContact(isReached: boolean): void;
};

/** Polls while it is needed, until there is a session. Throws SignInError; undefined when stopped. */
export async function keepPolling({ asking, sleeper, isNeeded, onContact }: Polling): Promise<string | undefined> {
  const { limits, signal } = asking;
  let serverFaults = 0;
  let pauseMs = limits.pollMs;
  for (;;) {
    const isAsked = await sleeper.sleep(pauseMs);
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

type Polled =
  | { kind: "pending" }
  | { kind: "authenticated"; sessionToken: string }
  /** Not a failure while the intent lives. */
  | { kind: "no-answer"; reason: string }
  /** 429 and 5xx: the server asks to wait. */
  | { kind: "busy"; error: SignInError };

/**
 * One poll. By the contract, an answer that is not OK is a failure, and so is a state other than pending or
 * authenticated: both are thrown. 429 and 5xx say nothing about the intent.
 */
async function poll(asking: StatusAsk): Promise<Polled> {
  const { url, verifier, secrets, limits, now } = asking;
  const headers = { accept: "application/json", [VERIFIER_HEADER]: verifier };
  const answer = await ask(url, { method: "GET", headers }, asking, SignInError);
  if (!isAnswer(answer)) return { kind: "no-answer", reason: answer.reason };
  if (!answer.isOk) {
    const error = intentRefusal(answer, secrets, now());
    if (error.code === "temporary") return { kind: "busy", error };
    throw error;
  }
  const unexpected = (fault: string) => unexpectedAnswer(SignInError, fault, answer.status);
  const state = isObject(answer.body) ? answer.body["state" satisfies keyof IntentStatus] : undefined;
  if (state === "pending") return { kind: "pending" };
  if (state !== "authenticated") throw unexpected("The sign-in has an unknown state");
  const sessionToken = sessionTokenIn(answer.body, limits.maxTokenLength);
  if (sessionToken === undefined) throw unexpected("The sign-in was approved, but the answer has no session");
  return { kind: "authenticated", sessionToken };
}

/** It becomes a header. */
export function sessionTokenIn(body: unknown, maxLength: number): string | undefined {
  const token = isObject(body) ? body.session_token : undefined;
  return typeof token === "string" && token.length <= maxLength && /^[\w.~+/=-]+$/.test(token) ? token : undefined;
}

import type { IntentStatus } from "@backplane/contract/intents";
import { type SignInError, unexpected } from "./errors.ts";
import type { Asking } from "./intent.ts";
import { isObject } from "./is-object.ts";
import { refusalOf } from "./refusal.ts";
import { ask, isAnswer } from "./request.ts";

/** What proves that this program made the intent, and where to ask for it. */
export type StatusAsk = Asking & { url: string; verifier: string; secrets: readonly string[] };

export type Polled =
  | { kind: "pending" }
  | { kind: "authenticated"; sessionToken: string }
  /** Nobody answered: not a failure while the intent lives. */
  | { kind: "no-answer"; reason: string }
  /** 429 and 5xx: the server asks for patience. */
  | { kind: "busy"; error: SignInError };

/** The header of the contract, as this side writes it. */
export const VERIFIER = "x-code-verifier";

/**
 * One poll. By the contract, a poll response that is not OK is a failure and so is a state other than pending or
 * authenticated: both are thrown. 429 and 5xx say nothing about the intent, and are left to whoever polls.
 */
export async function poll(asking: StatusAsk): Promise<Polled> {
  const { url, verifier, secrets, limits, now } = asking;
  const headers = { accept: "application/json", [VERIFIER]: verifier };
  const answer = await ask({ method: "GET", url, headers }, asking);
  if (!isAnswer(answer)) return { kind: "no-answer", reason: answer.reason };
  if (!answer.isOk) {
    const error = refusalOf(answer, secrets, now());
    if (error.code === "temporary") return { kind: "busy", error };
    throw error;
  }
  const state = isObject(answer.body) ? answer.body["state" satisfies keyof IntentStatus] : undefined;
  if (state === "pending") return { kind: "pending" };
  if (state !== "authenticated") throw unexpected("The sign-in is in a state that is not known here", answer.status);
  const sessionToken = sessionTokenIn(answer.body, limits.maxTokenLength);
  if (sessionToken === undefined) throw unexpected("The sign-in was approved, but no session came", answer.status);
  return { kind: "authenticated", sessionToken };
}

/** It becomes a header: what is no plain word is none. */
export function sessionTokenIn(body: unknown, maxLength: number): string | undefined {
  const token = isObject(body) ? body.session_token : undefined;
  return typeof token === "string" && token.length <= maxLength && /^[\w.~+/=-]+$/.test(token) ? token : undefined;
}

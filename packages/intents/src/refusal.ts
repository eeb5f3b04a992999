import { INTENT_LIFE_MS } from "@backplane/contract/intents";
import { Problem, type ProblemCode } from "@backplane/kit/problems";

/** Why the state of an intent cannot be told. */
export const READING_REFUSALS = ["intent-unknown", "intent-expired", "intent-denied", "session-ended"] as const;
/** Why a caller does not get the token. */
export const STATUS_REFUSALS = [
  ...READING_REFUSALS,
  ...(["caller-mismatch", "verifier-needed", "verifier-mismatch"] as const),
] as const;
/** Why a decision does not count. */
export const DECISION_REFUSALS = [...READING_REFUSALS, "intent-linked", "wrong-code"] as const;

/** Why a call about an intent is refused. */
export type Refusal = Extract<ProblemCode, (typeof STATUS_REFUSALS)[number] | (typeof DECISION_REFUSALS)[number]>;
export type Refused = { readonly refused: Refusal };

export const refused = (why: Refusal): Refused => ({ refused: why });

const NEXT_STEPS: Partial<Record<Refusal, string>> = {
  "intent-expired": `It was open for ${INTENT_LIFE_MS / 60_000} minutes. Start signing in again.`,
  "intent-denied": "If that was a mistake, start signing in again.",
  "wrong-code": "Compare it with the code that the program shows. If they differ, deny the request.",
  "caller-mismatch":
    "The token was retrieved from another address. If that was not you, end the session on your account page.",
  "verifier-needed": "Send the verifier of its code_challenge in X-Code-Verifier.",
};

/** Returns the value, or throws the problem. */
export function orProblem<T extends object>(outcome: T | Refused): T {
  if (!("refused" in outcome)) return outcome;
  const detail = NEXT_STEPS[outcome.refused];
  throw new Problem(outcome.refused, detail === undefined ? {} : { detail });
}

/** Only undecided intents expire; a decision stays. */
export const isExpired = (row: { state: string; expires_at_ms: number }, nowMs: number): boolean =>
  row.state === "pending" && row.expires_at_ms <= nowMs;

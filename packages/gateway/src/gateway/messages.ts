import {
  CHALLENGE_PATTERN,
  type ClientMessage,
  type GatewayMessage,
  MAX_PROVIDER_LENGTH,
  MAX_SECRET_LENGTH,
  MAX_STATE_LENGTH,
  MIN_STATE_LENGTH,
  STATE_PATTERN,
} from "@backplane/contract/gateway";
import { Problem, type ProblemCode } from "@backplane/kit/problems";
import type { ProviderAnswer } from "./registrations.ts";

/** Why a message was refused. `state` is what the message named, so that the client knows which of its own was refused; null without one. */
export type Refusal = { readonly code: ProblemCode; readonly state: string | null; readonly sentence?: string };

const STATE = new RegExp(STATE_PATTERN);
const CHALLENGE = new RegExp(CHALLENGE_PATTERN);

export const STATE_RULE = `state must have ${MIN_STATE_LENGTH} to ${MAX_STATE_LENGTH.toLocaleString("en")} visible ASCII characters, without spaces`;
export const isState = (value: unknown): value is string => typeof value === "string" && STATE.test(value);

/** Unknown fields are ignored: existing clients send some of their own. */
export function readClientMessage(text: string): ClientMessage | Refusal {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return refusal("malformed-request", null, "The message is not JSON.");
  }
  if (typeof message !== "object" || message === null || Array.isArray(message)) {
    return refusal("malformed-request", null, "The message is not a JSON object.");
  }
  const { type, state } = message as Record<string, unknown>;
  const named = typeof state === "string" ? state : null;
  if (type !== "register" && type !== "unregister" && type !== "ack") {
    return refusal("invalid-input", named, "type must be register, unregister or ack.");
  }
  if (!isState(state)) {
    return refusal("invalid-input", named, STATE_RULE);
  }
  return type === "register" ? readRegister(message, state) : { type, state };
}

function readRegister(message: object, state: string): ClientMessage | Refusal {
  const { provider, challenge, secret, ack } = message as Record<string, unknown>;
  if (!isText(provider, MAX_PROVIDER_LENGTH)) {
    return refusal("invalid-input", state, `provider must be a string of 1 to ${MAX_PROVIDER_LENGTH} characters.`);
  }
  if (isGiven(challenge) && !(typeof challenge === "string" && CHALLENGE.test(challenge))) {
    return refusal("invalid-input", state, "challenge must be a SHA-256 hash in base64url (43 characters).");
  }
  if (isGiven(secret) && !isText(secret, MAX_SECRET_LENGTH)) {
    return refusal("invalid-input", state, `secret must be a string of 1 to ${MAX_SECRET_LENGTH} characters.`);
  }
  if (isGiven(ack) && typeof ack !== "boolean") {
    return refusal("invalid-input", state, "ack must be true or false.");
  }
  return {
    type: "register",
    state,
    provider,
    ...(isGiven(challenge) ? { challenge } : {}),
    ...(isGiven(secret) ? { secret } : {}),
    ...(isGiven(ack) ? { ack } : {}),
  };
}

/** Counts whole characters, not UTF-16 halves. */
const isText = (value: unknown, maxLength: number): value is string =>
  typeof value === "string" &&
  value.length >= 1 &&
  (value.length <= maxLength || (value.length <= 2 * maxLength && [...value].length <= maxLength));

/** Null counts as absent: some languages write empty fields that way. */
const isGiven = <T>(value: T): value is NonNullable<T> => value !== undefined && value !== null;

const refusal = (code: ProblemCode, state: string | null, sentence: string): Refusal => ({ code, state, sentence });

// Only the state goes through JSON.stringify: this is the most frequent message.
export const registeredText = (state: string): string => `{"type":"registered","state":${JSON.stringify(state)}}`;

export function callbackText(state: string, answer: ProviderAnswer): string {
  const { query } = answer;
  const message: GatewayMessage =
    "code" in answer
      ? { type: "callback", state, code: answer.code, query }
      : {
          type: "error",
          state,
          error: answer.error,
          code: "provider-error",
          ...(answer.description === undefined ? {} : { error_description: answer.description }),
          query,
        };
  return JSON.stringify(message);
}

export function errorText(code: ProblemCode, state: string | null, sentence?: string): string {
  const message: GatewayMessage = { type: "error", state, error: sentence ?? new Problem(code).title, code };
  return JSON.stringify(message);
}

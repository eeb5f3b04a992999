import { retryAfterMs } from "../exchange/token-refusal.ts";
import { plainText } from "../plain-text.ts";
import { SignInError, type SignInErrorCode } from "./errors.ts";
import { isObject } from "./is-object.ts";
import type { Answer } from "./request.ts";

const MAX_WORDS_LENGTH = 300;

const UNAUTHORIZED = 401;
const GONE = 410;
const TOO_MANY_REQUESTS = 429;
const SERVER_FAULT = 500;

/** An answer that is not OK, as the error it is. `secrets` are kept out of its words, should the server repeat them. */
export function refusalOf(answer: Answer, secrets: readonly string[], nowMs: number): SignInError {
  const { status, headers, body } = answer;
  const problem = isObject(body) ? body : {};
  const problemCode = codeOf(problem.code);
  const code = kindOf(status, problemCode);
  const details = { status, problemCode, retryAfterMs: retryAfterMs(headers.get("retry-after"), nowMs) };
  return new SignInError(code, sentenceOf(code, status, wordsOf(problem, secrets)), details);
}

function kindOf(status: number, problemCode: string | undefined): SignInErrorCode {
  if (status === TOO_MANY_REQUESTS || status >= SERVER_FAULT) return "temporary";
  if (status === UNAUTHORIZED) return "not-signed-in";
  if (problemCode === "intent-denied") return "denied";
  return status === GONE ? "expired" : "refused";
}

function sentenceOf(code: SignInErrorCode, status: number, words: string | undefined): string {
  switch (code) {
    case "temporary":
      return `Backplane is busy (HTTP ${status}). Try again in a moment.`;
    case "not-signed-in":
      return "The session is not valid any more. Sign in again.";
    case "denied":
      return "The sign-in was denied. Start again if that was a mistake.";
    case "expired":
      return "The sign-in link has expired. Sign-in links work for 15 minutes. Start again.";
    default:
      return `Backplane refused: ${words ?? `HTTP ${status}.`}`;
  }
}

function wordsOf({ detail, title }: Record<string, unknown>, secrets: readonly string[]): string | undefined {
  const words = [detail, title].find((text) => typeof text === "string" && text !== "");
  if (typeof words !== "string") return undefined;
  const line = plainText(words, MAX_WORDS_LENGTH, secrets);
  return /\.$/.test(line) ? line : `${line}.`;
}

const codeOf = (value: unknown): string | undefined =>
  typeof value === "string" && /^[a-z][a-z-]{0,63}$/.test(value) ? value : undefined;

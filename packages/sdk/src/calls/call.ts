import { retryAfterMs } from "../exchange/token-refusal.ts";
import { plainText } from "../plain-text.ts";
import { type Place, rootOf } from "../sign-in/base-url.ts";
import { SignInError } from "../sign-in/errors.ts";
import { isObject } from "../sign-in/is-object.ts";
import { type Answer, type Ask, ask, type Fetch, isAnswer } from "../sign-in/request.ts";
import type { CallError, CallErrorCode, CallErrorDetails, CallFault } from "./errors.ts";

export type CallOptions = Place & {
  /** A session token of `signIn`, or an API key. */
  sessionToken?: string | undefined;
  signal?: AbortSignal | undefined;
  fetch?: Fetch | undefined;
};

export type Question = Pick<Ask, "method" | "headers" | "body"> & {
  path: string;
  answerMs: number;
  maxAnswerBytes: number;
};

/** The error of an area: its calls fail with nothing else. */
type Fault = new (code: CallErrorCode, message: string, details?: CallErrorDetails) => CallError;

const MAX_WORDS_LENGTH = 500;
const MAX_FAULTS = 50;

/** One call; what it was answered, once that is OK. Throws `fault`. */
export async function callBackplane(fault: Fault, options: CallOptions, question: Question): Promise<unknown> {
  const { sessionToken, signal, fetch = globalThis.fetch } = options;
  const { path, answerMs, maxAnswerBytes, headers, ...rest } = question;
  try {
    const root = rootOf(options);
    if (sessionToken !== undefined && !/^[\x21-\x7e]+$/.test(sessionToken)) {
      throw new fault("invalid-option", "sessionToken is no token.", { field: "sessionToken" });
    }
    const authorization = sessionToken === undefined ? {} : { authorization: `Bearer ${sessionToken}` };
    const answer = await ask(
      { ...rest, url: `${root}${path}`, headers: { accept: "application/json", ...authorization, ...headers } },
      { fetch, limits: { answerMs, maxAnswerBytes }, signal },
    );
    if (!isAnswer(answer)) {
      const next = "Check that Backplane runs there and that this machine reaches it.";
      throw new fault("unreachable", `${root} does not answer (${answer.reason}). ${next}`, { field: "baseUrl" });
    }
    if (!answer.isOk) throw refusalOf(fault, answer, sessionToken === undefined ? [] : [sessionToken]);
    return answer.body;
  } catch (error) {
    throw inOwnWords(fault, error);
  }
}

export const unexpectedAnswer = (fault: Fault, words: string): CallError =>
  new fault("unexpected-answer", `${words}. Check that baseUrl is the address of a Backplane.`);

const UNAUTHORIZED = 401;
const TOO_MANY_REQUESTS = 429;
const SERVER_FAULT = 500;
const BAD_GATEWAY = 502;
const GATEWAY_TIMEOUT = 504;

function refusalOf(fault: Fault, { status, headers, body }: Answer, secrets: readonly string[]): CallError {
  const problem = isObject(body) ? body : {};
  const words = [problem.detail, problem.title].find((text) => typeof text === "string" && text !== "");
  const said = typeof words === "string" ? plainText(words, MAX_WORDS_LENGTH, secrets) : `HTTP ${status}.`;
  const kind = kindOf(status, typeof problem.code === "string");
  return new fault(kind, sentenceOf(kind, status, said), {
    status,
    problemCode: typeof problem.code === "string" ? plainText(problem.code, 64) : undefined,
    faults: faultsOf(problem.errors, secrets),
    retryAfterMs: retryAfterMs(headers.get("retry-after"), Date.now()),
  });
}

/** What a browser or a site did not answer, Backplane did: it says so itself, and nothing here is busy. */
function kindOf(status: number, isOwnProblem: boolean): CallErrorCode {
  if (status === UNAUTHORIZED) return "not-signed-in";
  if (isOwnProblem && (status === BAD_GATEWAY || status === GATEWAY_TIMEOUT)) return "refused";
  return status === TOO_MANY_REQUESTS || status >= SERVER_FAULT ? "temporary" : "refused";
}

function sentenceOf(kind: CallErrorCode, status: number, said: string): string {
  if (kind === "not-signed-in") return "This needs a session or an API key that is valid. Sign in again.";
  if (kind === "temporary") return `Backplane is busy (HTTP ${status}): ${said} Try again in a moment.`;
  return said;
}

function faultsOf(errors: unknown, secrets: readonly string[]): CallFault[] {
  if (!Array.isArray(errors)) return [];
  return errors
    .filter((error) => isObject(error) && typeof error.message === "string")
    .slice(0, MAX_FAULTS)
    .map(({ pointer, message }) => ({
      pointer: typeof pointer === "string" ? plainText(pointer, MAX_WORDS_LENGTH, secrets) : "",
      message: plainText(message, MAX_WORDS_LENGTH, secrets),
    }));
}

/** What the parts that are shared with signing in refuse, as an error of the area. */
function inOwnWords(fault: Fault, error: unknown): unknown {
  if (!(error instanceof SignInError)) return error;
  switch (error.code) {
    case "aborted":
      return new fault("aborted", "The call was stopped before it was answered.", { cause: error.cause });
    case "unexpected-answer":
      return new fault("unexpected-answer", error.message, { status: error.status });
    default:
      return new fault("invalid-option", error.message, { field: error.field });
  }
}

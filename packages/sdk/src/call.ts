import type { FieldFault } from "@backplane/contract/problems";
import { rootOf, type ServerOptions } from "./addresses.ts";
import { type BackplaneError, type CallErrorClass, type CallErrorCode, invalidOption } from "./errors.ts";
import { isRepeated, keepTrying } from "./keep-trying.ts";
import { type Answer, type AnswerLimits, type ApiRequest, ask, type Fetch, isAnswer, retryAfterMs } from "./request.ts";
import { isObject, plainText } from "./text.ts";

export type CallOptions = ServerOptions & {
  /** A session token from `signIn`, or an API key. */
  sessionToken?: string | undefined;
  signal?: AbortSignal | undefined;
  fetch?: Fetch | undefined;
};

export type SessionOptions = CallOptions & { sessionToken: string };

export type Call = ApiRequest & AnswerLimits & { path: string };

/** One call, and the body of its answer. Throws an error of the given class. */
export const callBackplane = async (errorClass: CallErrorClass, options: CallOptions, call: Call): Promise<unknown> =>
  (await callForAnswer(errorClass, options, call)).body;

/** Long enough for a proxy to find another instance, short enough for somebody who waits. */
const REPEAT = { withinMs: 5_000, pauseMs: 500 };

/** The same, with the bytes of its answer. Made again where that cannot do anything twice, such as during an upgrade. */
export const callForAnswer = (errorClass: CallErrorClass, options: CallOptions, call: Call): Promise<Answer> =>
  keepTrying(() => callOnce(errorClass, options, call), {
    ...REPEAT,
    mayPass: (failure) => isRepeated(call.method, failure),
    signal: options.signal,
  });

async function callOnce(errorClass: CallErrorClass, options: CallOptions, call: Call): Promise<Answer> {
  const { sessionToken, signal, fetch = globalThis.fetch } = options;
  const { path, answerMs, maxAnswerBytes, headers, ...question } = call;
  const root = rootOf(options, errorClass);
  if (sessionToken !== undefined && !/^[\x21-\x7e]+$/.test(sessionToken)) {
    throw invalidOption(errorClass, "sessionToken", "is not a token");
  }
  const authorization = sessionToken === undefined ? {} : { authorization: `Bearer ${sessionToken}` };
  const answer = await ask(
    `${root}${path}`,
    { ...question, headers: { accept: "application/json", ...authorization, ...headers } },
    { fetch, limits: { answerMs, maxAnswerBytes }, signal },
    errorClass,
  );
  if (!isAnswer(answer)) throw unreachable(errorClass, root, answer.reason);
  if (!answer.isOk) throw refusal(errorClass, answer, sessionToken === undefined ? [] : [sessionToken]);
  return answer;
}

export const unreachable = (errorClass: CallErrorClass, root: string, reason: string): BackplaneError =>
  new errorClass(
    "unreachable",
    `${root} does not answer (${reason}). Check that Backplane is running there and that this machine can reach it.`,
    { field: "baseUrl", cause: reason },
  );

const UNAUTHORIZED = 401;
const TOO_MANY_REQUESTS = 429;
const SERVER_FAULT = 500;
const BAD_GATEWAY = 502;
const GATEWAY_TIMEOUT = 504;

export function refusal(errorClass: CallErrorClass, answer: Answer, secrets: readonly string[]): BackplaneError {
  const problem = readProblem(answer, secrets, Date.now());
  const code = refusalCode(problem);
  return new errorClass(code, refusalText(code, problem), problem);
}

/** 502 and 504 with a code are Backplane's own answer about a browser or a site that did not answer. */
function refusalCode({ status, problemCode }: Problem): CallErrorCode {
  if (status === UNAUTHORIZED) return "not-signed-in";
  if (problemCode !== undefined && (status === BAD_GATEWAY || status === GATEWAY_TIMEOUT)) return "refused";
  return isBusy(status) ? "temporary" : "refused";
}

export const isBusy = (status: number): boolean => status === TOO_MANY_REQUESTS || status >= SERVER_FAULT;

export function refusalText(code: CallErrorCode, { status, text }: Problem): string {
  if (code === "not-signed-in") return "The session or API key is not valid. Sign in again.";
  if (code === "temporary") return `Backplane is busy (HTTP ${status}). Try again in a moment.`;
  return text;
}

const MAX_TEXT_LENGTH = 500;
const MAX_FAULTS = 50;

export type Problem = {
  status: number;
  problemCode: string | undefined;
  /** A sentence for people. */
  text: string;
  faults: FieldFault[];
  retryAfterMs: number | undefined;
};

/** What an answer that is not OK says. `secrets` are kept out of it, in case the server repeats them. */
export function readProblem({ status, headers, body }: Answer, secrets: readonly string[], nowMs: number): Problem {
  const { code, detail, title, errors } = isObject(body) ? body : {};
  const show = (text: unknown) => (typeof text === "string" ? plainText(text, MAX_TEXT_LENGTH, secrets) : "");
  const text = show(detail) || show(title) || `Backplane refused with HTTP ${status}`;
  return {
    status,
    problemCode: typeof code === "string" && /^[a-z][a-z0-9-]{0,63}$/.test(code) ? code : undefined,
    text: /[.!?]$/.test(text) ? text : `${text}.`,
    faults: (Array.isArray(errors) ? errors : [])
      .filter((error) => isObject(error) && typeof error.message === "string")
      .slice(0, MAX_FAULTS)
      .map(({ pointer, message }) => ({ pointer: show(pointer), message: show(message) })),
    retryAfterMs: retryAfterMs(headers, nowMs),
  };
}

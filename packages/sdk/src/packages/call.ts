import { retryAfterMs } from "../exchange/token-refusal.ts";
import { plainText } from "../plain-text.ts";
import { type Place, rootOf } from "../sign-in/base-url.ts";
import { SignInError } from "../sign-in/errors.ts";
import { isObject } from "../sign-in/is-object.ts";
import { type Answer, type Ask, ask, type Fetch, isAnswer } from "../sign-in/request.ts";
import { RegistryError, type RegistryErrorCode, type RegistryFault } from "./errors.ts";
import { REGISTRY_CALL_LIMITS } from "./limits.ts";

export type RegistryOptions = Place & {
  /** A session token of `signIn`, or an API key with the scope `publish`. Reading needs none. */
  sessionToken?: string | undefined;
  signal?: AbortSignal | undefined;
  fetch?: Fetch | undefined;
};

export type PublisherOptions = RegistryOptions & { sessionToken: string };

export type Question = Pick<Ask, "method" | "headers" | "body"> & { path: string; answerMs?: number };

const MAX_WORDS_LENGTH = 500;

/** One call; what it was answered, once that is OK. Throws RegistryError. */
export async function callRegistry(options: RegistryOptions, question: Question): Promise<unknown> {
  const { sessionToken, signal, fetch = globalThis.fetch } = options;
  const { path, answerMs = REGISTRY_CALL_LIMITS.answerMs, headers, ...rest } = question;
  try {
    const root = rootOf(options);
    if (sessionToken !== undefined && !/^[\x21-\x7e]+$/.test(sessionToken)) {
      throw new RegistryError("invalid-option", "sessionToken is no token.", { field: "sessionToken" });
    }
    const authorization = sessionToken === undefined ? {} : { authorization: `Bearer ${sessionToken}` };
    const answer = await ask(
      { ...rest, url: `${root}${path}`, headers: { accept: "application/json", ...authorization, ...headers } },
      { fetch, limits: { answerMs, maxAnswerBytes: REGISTRY_CALL_LIMITS.maxAnswerBytes }, signal },
    );
    if (!isAnswer(answer)) {
      const next = "Check that Backplane runs there and that this machine reaches it.";
      throw new RegistryError("unreachable", `${root} does not answer (${answer.reason}). ${next}`, {
        field: "baseUrl",
      });
    }
    if (!answer.isOk) throw refusalOf(answer, sessionToken === undefined ? [] : [sessionToken]);
    return answer.body;
  } catch (error) {
    throw asRegistryError(error);
  }
}

export const unexpectedAnswer = (fault: string): RegistryError =>
  new RegistryError("unexpected-answer", `${fault}. Check that baseUrl is the address of a Backplane.`);

const UNAUTHORIZED = 401;
const TOO_MANY_REQUESTS = 429;
const SERVER_FAULT = 500;

function refusalOf({ status, headers, body }: Answer, secrets: readonly string[]): RegistryError {
  const problem = isObject(body) ? body : {};
  const words = [problem.detail, problem.title].find((text) => typeof text === "string" && text !== "");
  const said = typeof words === "string" ? plainText(words, MAX_WORDS_LENGTH, secrets) : `HTTP ${status}.`;
  return new RegistryError(kindOf(status), sentenceOf(kindOf(status), status, said), {
    status,
    problemCode: typeof problem.code === "string" ? plainText(problem.code, 64) : undefined,
    faults: faultsOf(problem.errors, secrets),
    retryAfterMs: retryAfterMs(headers.get("retry-after"), Date.now()),
  });
}

function kindOf(status: number): RegistryErrorCode {
  if (status === UNAUTHORIZED) return "not-signed-in";
  return status === TOO_MANY_REQUESTS || status >= SERVER_FAULT ? "temporary" : "refused";
}

function sentenceOf(kind: RegistryErrorCode, status: number, said: string): string {
  if (kind === "not-signed-in") return "This needs a session or an API key that is valid. Sign in again.";
  if (kind === "temporary") return `Backplane is busy (HTTP ${status}): ${said} Try again in a moment.`;
  return said;
}

function faultsOf(errors: unknown, secrets: readonly string[]): RegistryFault[] {
  if (!Array.isArray(errors)) return [];
  return errors
    .filter((error) => isObject(error) && typeof error.message === "string")
    .slice(0, REGISTRY_CALL_LIMITS.maxFaults)
    .map(({ pointer, message }) => ({
      pointer: typeof pointer === "string" ? plainText(pointer, MAX_WORDS_LENGTH, secrets) : "",
      message: plainText(message, MAX_WORDS_LENGTH, secrets),
    }));
}

/** What the parts that are shared with signing in refuse, in the words of the registry. */
function asRegistryError(error: unknown): unknown {
  if (!(error instanceof SignInError)) return error;
  switch (error.code) {
    case "aborted":
      return new RegistryError("aborted", "The call was stopped before it was answered.", { cause: error.cause });
    case "unexpected-answer":
      return new RegistryError("unexpected-answer", error.message, { status: error.status });
    default:
      return new RegistryError("invalid-option", error.message, { field: error.field });
  }
}

import { readBounded } from "../exchange/bounded-body.ts";
import { unexpected, wasAborted } from "./errors.ts";
import type { SignInLimits } from "./limits.ts";

export type Fetch = typeof globalThis.fetch;

export type Ask = {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Blob;
};

export type AnswerLimits = Pick<SignInLimits, "answerMs" | "maxAnswerBytes">;

export type Answer = { status: number; isOk: boolean; headers: Headers; body: unknown };

/** Why there is none: a word of the operating system, or a time. */
export type NoAnswer = { reason: string };

export const isAnswer = (value: Answer | NoAnswer): value is Answer => "status" in value;

/** The same as in package.json; a test compares. Shown to the person, with system and Node, as what asks. */
export const PROGRAM = "backplane-sdk/0.1.0";

/**
 * What every request has. A redirect is not followed: it would take verifier or token along. A browser's cookies stay at
 * home: the session is the program's own.
 */
export function dressed({ method, headers = {}, body }: Omit<Ask, "url">, signal: AbortSignal): RequestInit {
  return {
    method,
    headers: { ...programHeader(), ...headers },
    ...(body === undefined ? {} : { body }),
    redirect: "manual",
    credentials: "omit",
    cache: "no-store",
    referrerPolicy: "no-referrer",
    signal,
  };
}

/** One request and its whole answer, JSON or nothing, within `answerMs`. Faults of the network are returned; an abort is thrown. */
export async function ask(
  question: Ask,
  { fetch, limits, signal }: { fetch: Fetch; limits: AnswerLimits; signal: AbortSignal | undefined },
): Promise<Answer | NoAnswer> {
  const stop = new AbortController();
  const onAbort = () => stop.abort();
  const timer = setTimeout(onAbort, limits.answerMs);
  signal?.addEventListener("abort", onAbort);
  if (signal?.aborted === true) stop.abort();
  let response: Response;
  let text: string | undefined;
  try {
    response = await fetch(question.url, dressed(question, stop.signal));
    text = isRedirect(response) ? undefined : await readBounded(response, limits.maxAnswerBytes);
  } catch (error) {
    if (signal?.aborted === true) throw wasAborted(signal.reason);
    return { reason: stop.signal.aborted ? `within ${limits.answerMs / 1_000} s` : networkCode(error) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    // What was not read is let go.
    stop.abort();
  }
  if (isRedirect(response)) {
    throw unexpected("The address redirects elsewhere, where secrets are not sent", response.status || undefined);
  }
  return { status: response.status, isOk: response.ok, headers: response.headers, body: parsed(text) };
}

/** Browsers hide the status of a redirect that is not followed. */
const isRedirect = ({ type, status }: Response): boolean =>
  type === "opaqueredirect" || (status >= 300 && status < 400);

/** A browser says itself what it is, and asks the server first whether it may send another name. */
function programHeader(): Record<string, string> {
  const isBrowser = "document" in globalThis || "WorkerGlobalScope" in globalThis;
  if (isBrowser) return {};
  const [major] = process.versions.node.split(".");
  return { "user-agent": `${PROGRAM} (${process.platform}; node ${major})` };
}

function networkCode(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
  return typeof code === "string" && /^[A-Z0-9_]{1,40}$/.test(code) ? code : "no connection";
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { readBytes } from "@backplane/kit/bounded-body";
import type { ErrorClass } from "./errors.ts";
import { parseJson } from "./text.ts";

export type Fetch = typeof globalThis.fetch;

export type AnswerLimits = { answerMs: number; maxAnswerBytes: number };

export type Transport = { fetch: Fetch; limits: AnswerLimits; signal: AbortSignal | undefined };

/** `reason`: a code of the operating system, or a time; never the error of the caller's own fetch, which may contain the request. */
export type NoAnswer = { reason: string; isAborted: boolean };

/** Redirects are not followed, because secrets would go with them. Cookies are not sent: the program has its own session. */
export const REQUEST_OPTIONS = {
  redirect: "manual",
  credentials: "omit",
  cache: "no-store",
  referrerPolicy: "no-referrer",
} as const;

/** One request and its whole answer. `text` is undefined when it is too large or a redirect, which is not followed. */
export async function fetchText(
  url: string | URL,
  request: RequestInit,
  transport: Transport,
): Promise<{ response: Response; text: string | undefined } | NoAnswer> {
  const got = await fetchBytes(url, request, transport);
  return "reason" in got ? got : { response: got.response, text: textOf(got.bytes) };
}

const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && new TextDecoder().decode(bytes);

async function fetchBytes(
  url: string | URL,
  request: RequestInit,
  { fetch, limits, signal }: Transport,
): Promise<{ response: Response; bytes: Uint8Array | undefined } | NoAnswer> {
  const stop = new AbortController();
  const onAbort = () => stop.abort();
  const timer = setTimeout(onAbort, limits.answerMs);
  signal?.addEventListener("abort", onAbort);
  if (signal?.aborted === true) stop.abort();
  try {
    const response = await fetch(url, { ...REQUEST_OPTIONS, ...request, signal: stop.signal });
    const bytes = isRedirect(response) ? undefined : await readBytes(response.body, limits.maxAnswerBytes);
    return { response, bytes };
  } catch (error) {
    const isAborted = signal?.aborted === true;
    const isLate = stop.signal.aborted && !isAborted;
    return { reason: isLate ? `within ${limits.answerMs / 1_000} s` : networkCode(error), isAborted };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    stop.abort();
  }
}

/** Browsers hide the status of a redirect that is not followed. */
export const isRedirect = ({ type, status }: Response): boolean =>
  type === "opaqueredirect" || (status >= 300 && status < 400);

function networkCode(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
  return typeof code === "string" && /^[A-Z0-9_]{1,40}$/.test(code) ? code : "no connection";
}

export type ApiRequest = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers?: Readonly<Record<string, string>>;
  body?: string | Blob;
};

export type Answer = {
  status: number;
  isOk: boolean;
  headers: Headers;
  /** As JSON; undefined if it is not. */
  body: unknown;
  /** Undefined: too large. */
  bytes: Uint8Array | undefined;
};

export const isAnswer = (value: Answer | NoAnswer): value is Answer => "status" in value;

/** One request to Backplane and its answer, JSON or nothing. */
export async function ask(
  url: string,
  { method, headers, body }: ApiRequest,
  transport: Transport,
  errorClass: ErrorClass<"aborted" | "unexpected-answer", { status?: number | undefined; cause?: unknown }>,
): Promise<Answer | NoAnswer> {
  const request = { method, headers: { ...programHeader(), ...headers }, ...(body === undefined ? {} : { body }) };
  const got = await fetchBytes(url, request, transport);
  if ("reason" in got) {
    if (!got.isAborted) return got;
    throw new errorClass("aborted", "Stopped before it was done.", { cause: transport.signal?.reason });
  }
  const { response, bytes } = got;
  if (isRedirect(response)) {
    const status = response.status || undefined;
    throw unexpectedAnswer(errorClass, "The address redirects elsewhere, where secrets are not sent", status);
  }
  const { status, ok: isOk, headers: answered } = response;
  return { status, isOk, headers: answered, body: parseJson(textOf(bytes)), bytes };
}

export const unexpectedAnswer = (
  errorClass: ErrorClass<"unexpected-answer", { status?: number | undefined }>,
  fault: string,
  status?: number,
) => new errorClass("unexpected-answer", `${fault}. Check that baseUrl is the address of a Backplane.`, { status });

/** The same version as in package.json; a test compares. The approval page shows it, with system and Node version. */
export const PROGRAM = "backplane-sdk/0.2.0";

export const isBrowser = (): boolean => "document" in globalThis || "WorkerGlobalScope" in globalThis;

/** Not in a browser, which sends its own user agent, and would need a preflight request for another one. */
export function programHeader(): Record<string, string> {
  if (isBrowser()) return {};
  const [major] = process.versions.node.split(".");
  return { "user-agent": `${PROGRAM} (${process.platform}; node ${major})` };
}

/** Even if a server asks for a longer wait. */
const MAX_RETRY_AFTER_MS = 24 * 60 * 60_000;

/** Seconds, or a date (RFC 9110 section 10.2.3). */
export function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const header = headers.get("retry-after");
  if (header === null) return undefined;
  const waitMs = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), MAX_RETRY_AFTER_MS);
}

import type { FieldFault } from "@backplane/contract/problems";

/** Long enough for a password check that waits for others in the server's queue. */
const ANSWER_TIMEOUT_MS = 20_000;

/** Why a request failed. Status 0: no answer. */
export type Fault = {
  status: number;
  /** The stable code of the problem; "silent" without an answer. */
  code: string;
  title: string;
  detail: string | undefined;
  errors: readonly FieldFault[];
  retryAfterS: number | undefined;
};

export type Answer<T> =
  | {
      ok: true;
      value: T;
      /** The server's clock, when it sent the time. */
      serverTimeMs: number | undefined;
    }
  | { ok: false; fault: Fault };

export type Call = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  body?: unknown;
  signal?: AbortSignal;
  /** Longer for what takes long to send. */
  timeoutMs?: number;
};

const SILENT: Fault = {
  status: 0,
  code: "silent",
  title: "Backplane does not answer",
  detail: undefined,
  errors: [],
  retryAfterS: undefined,
};

/** Calls our own server. Failures are returned, not thrown: each page shows them beside what failed. */
export async function call<T>(
  { method, path, body, signal, timeoutMs = ANSWER_TIMEOUT_MS }: Call,
  fetch = globalThis.fetch,
): Promise<Answer<T>> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(path, {
      method,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      headers: { accept: "application/json", ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      cache: "no-store",
      credentials: "same-origin",
      referrerPolicy: "no-referrer",
    });
    if (!response.ok) return { ok: false, fault: await faultOf(response) };
    const text = await response.text();
    const serverTimeMs = Date.parse(response.headers.get("date") ?? "");
    return {
      ok: true,
      value: text === "" ? undefined : JSON.parse(text),
      serverTimeMs: Number.isNaN(serverTimeMs) ? undefined : serverTimeMs,
    };
  } catch {
    return { ok: false, fault: SILENT };
  }
}

type ProblemBody = { code?: unknown; title?: unknown; detail?: unknown; errors?: unknown };

const textOr = <T>(value: unknown, other: T): string | T => (typeof value === "string" ? value : other);

const isFieldFault = (value: unknown): value is FieldFault =>
  typeof value === "object" && value !== null && "pointer" in value && "message" in value;

async function faultOf(response: Response): Promise<Fault> {
  // A proxy in between may answer with something that is not JSON.
  const body: ProblemBody = await response.json().catch(() => ({}));
  const retryAfterS = Number(response.headers.get("retry-after") ?? Number.NaN);
  return {
    status: response.status,
    code: textOr(body.code, "unknown"),
    title: textOr(body.title, `The server answered with status ${response.status}`),
    detail: textOr(body.detail, undefined),
    errors: Array.isArray(body.errors) ? body.errors.filter(isFieldFault) : [],
    retryAfterS: Number.isFinite(retryAfterS) ? retryAfterS : undefined,
  };
}

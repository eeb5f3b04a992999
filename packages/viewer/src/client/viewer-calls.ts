import { readBytes } from "@backplane/kit/bounded-body";
import { isProblemCode, Problem, type ProblemBody } from "@backplane/kit/problems";

export type CallOptions = {
  /** The process that serves the project, from server.json. */
  url: string;
  secret: string;
  fetch: typeof globalThis.fetch;
};

export type Call = {
  method?: "GET" | "POST" | "PATCH";
  json?: unknown;
  image?: Buffer<ArrayBuffer>;
  signal?: AbortSignal;
  withinMs?: number;
  /** Answered with events, for as long as somebody reads them. */
  isStream?: boolean;
};

export type Ask = (path: string, call?: Call) => Promise<Response>;

const ANSWER_WITHIN_MS = 30_000;
const MAX_JSON_BYTES = 16 * 1024 * 1024;
const MAX_PROBLEM_BYTES = 64 * 1024;

/** One call. Throws the viewer's problem, or not-ready if it does not respond. */
export function createAsk({ url, secret, fetch }: CallOptions): Ask {
  return async (path, { method = "GET", json, image, signal, withinMs = ANSWER_WITHIN_MS, isStream = false } = {}) => {
    const type = image ? "application/octet-stream" : "application/json";
    const body = image ?? (json === undefined ? undefined : JSON.stringify(json));
    const response = await fetch(`${url}${path}`, {
      method,
      // A redirect must not carry the secret elsewhere.
      redirect: "error",
      signal: signal ?? AbortSignal.timeout(withinMs),
      headers: {
        authorization: `Bearer ${secret}`,
        ...(isStream ? { accept: "text/event-stream" } : {}),
        ...(body === undefined ? {} : { "content-type": type }),
      },
      ...(body === undefined ? {} : { body }),
    }).catch((cause) => {
      signal?.throwIfAborted();
      throw new Problem("not-ready", {
        detail: `The viewer is not responding at ${url}. Start it, then try again.`,
        cause,
      });
    });
    if (!response.ok) throw await problemIn(response);
    return response;
  };
}

/** Throws payload-too-large. */
export async function readBody(response: Response, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const bytes = await readBytes(response.body, maxBytes);
  if (bytes) return Buffer.from(bytes.buffer);
  throw new Problem("payload-too-large", { detail: `The answer is larger than ${maxBytes} bytes.` });
}

export async function readJson<Of>(response: Response): Promise<Of> {
  return JSON.parse((await readBody(response, MAX_JSON_BYTES)).toString("utf8")) as Of;
}

async function problemIn(response: Response): Promise<Problem> {
  try {
    const body = JSON.parse((await readBody(response, MAX_PROBLEM_BYTES)).toString("utf8")) as Partial<ProblemBody>;
    const { code, detail, title, errors } = body;
    if (isProblemCode(code)) {
      const sentence = detail ?? title;
      return new Problem(code, {
        ...(sentence === undefined ? {} : { detail: sentence }),
        ...(errors === undefined ? {} : { errors }),
      });
    }
  } catch {
    // Not a problem body, or cut off: use the status.
  }
  return new Problem("internal-error", { detail: `The viewer answered with status ${response.status}.` });
}

import { isRepeated } from "../../packages/sdk/src/keep-trying.ts";
import { until } from "../support/processes.ts";
import { type Told, toldBy } from "./ledger.ts";

/** How long a caller waits for an answer: longer than any of our own limits. */
const PATIENCE_MS = 20_000;

type Request = {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers?: Record<string, string>;
  json?: unknown;
  bytes?: Buffer;
};

export type Answer = { status: number; code: string; body: Record<string, unknown>; bytes: Buffer };
export type Outcome = {
  told: Told;
  error?: string;
  isRepeated?: boolean;
  body: Record<string, unknown>;
  bytes: Buffer;
};

async function send(url: string, { method = "GET", headers = {}, json, bytes }: Request): Promise<Answer> {
  const body = json === undefined ? bytes && new Uint8Array(bytes) : JSON.stringify(json);
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(json === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const received = Buffer.from(await response.arrayBuffer());
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  const parsed = isJson ? JSON.parse(received.toString()) : {};
  return { status: response.status, code: parsed.code ?? "", body: parsed, bytes: received };
}

/** Calls once, as a program does that never repeats a call, and says whether the sdk would. */
export async function call(url: string, request: Request = {}): Promise<Outcome> {
  const { method = "GET" } = request;
  try {
    const answer = await send(url, request);
    const said = toldBy(answer);
    // Reading changes nothing, so there is nothing to say.
    const told = said === "nothing" && method === "GET" ? "unknown" : said;
    const { status, code, body, bytes } = answer;
    if (told === "done") return { told, body, bytes };
    const repeated = isRepeated(method, { status, problemCode: code || undefined });
    return { told, error: `${status} ${code || "of nginx"}`, isRepeated: repeated, body, bytes };
  } catch (fault) {
    const isPatienceOver = fault instanceof DOMException && fault.name === "TimeoutError";
    const error = isPatienceOver ? `no answer in ${PATIENCE_MS / 1_000} s` : "connection lost";
    const { code } = ((fault as Error).cause ?? {}) as { code?: string };
    const repeated = isRepeated(method, { cause: code });
    return { told: "unknown", error, isRepeated: repeated, body: {}, bytes: Buffer.alloc(0) };
  }
}

/** Calls until there is an answer that is not about an outage: to set up, and to see what is there afterwards. */
export async function look(url: string, request: Request = {}): Promise<Answer> {
  let answer: Answer | undefined;
  await until(async () => {
    answer = await send(url, request).catch(() => undefined);
    return answer !== undefined && answer.status < 500 && answer.status !== 429;
  }, `${url} answers`);
  return answer as Answer;
}

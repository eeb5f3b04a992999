import type { IncomingMessage, RequestOptions } from "node:http";
import { text } from "node:stream/consumers";

/** What callers of one short question use of an answer. */
type PlainAnswer = Pick<Response, "status" | "ok" | "type" | "headers" | "body" | "text" | "json">;

const FIRST_OK = 200;
const FIRST_REDIRECT = 300;
const FIRST_FAULT = 400;
const NOT_MODIFIED = 304;
const isRedirect = (status: number) => status >= FIRST_REDIRECT && status < FIRST_FAULT && status !== NOT_MODIFIED;

/**
 * `fetch` for one short question and its answer, on node:http: to load what Node's own needs takes longer than most commands, and
 * 12 MB in each process that only asks others how they are. It follows no redirect, as all who call it want. What is not a
 * short question is left to Node's own.
 */
export const plainFetch: typeof fetch = async (address, request = {}) => {
  const { method = "GET", body, signal, headers = {} } = request;
  const isStream = Object.values(headers).includes("text/event-stream");
  const isShort = typeof body === "string" || body === undefined || body === null || Buffer.isBuffer(body);
  if (!isShort || isStream || typeof address !== "string" || request.redirect === "follow")
    return fetch(address, request);
  const options = { method, headers, agent: false, ...(signal ? { signal } : {}) } as RequestOptions;
  const answer = await ask(address, options, body ?? "").catch((cause) => {
    signal?.throwIfAborted();
    throw new TypeError("There was no answer.", { cause });
  });
  const status = answer.statusCode ?? 0;
  const readText = () =>
    text(answer).catch((cause) => {
      signal?.throwIfAborted();
      throw new TypeError("The answer broke off.", { cause });
    });
  // An answer that something was made also says where it is.
  if (request.redirect === "error" && isRedirect(status)) {
    answer.destroy();
    throw new TypeError("The address redirects elsewhere.");
  }
  const plain = {
    status,
    ok: status >= FIRST_OK && status < FIRST_REDIRECT,
    type: "basic",
    headers: { get: (name: string) => answer.headers[name.toLowerCase()]?.toString() ?? null },
    body: answer,
    text: readText,
    json: async () => JSON.parse(await readText()),
  };
  return plain as unknown as PlainAnswer as Response;
};

async function ask(address: string, options: RequestOptions, body: string | Uint8Array): Promise<IncomingMessage> {
  const { request } = address.startsWith("https:") ? await import("node:https") : await import("node:http");
  return new Promise((resolve, reject) => {
    request(address, options, resolve).on("error", reject).end(body);
  });
}

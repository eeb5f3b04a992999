import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SIGN_IN_LIMITS, type SignInLimits } from "./limits.ts";

export const SESSION = "tok_c4nary-session";
export const INTENT = "int_c4nary-intent";
export const DENIED = { code: "intent-denied", title: "This sign-in request was denied" };

/** The product's limits, with short waits. */
export const QUICK: SignInLimits = { ...SIGN_IN_LIMITS, pollMs: 20, retryMs: 20, maxRetryMs: 40, createRetryMs: 20 };

export type Call = {
  /** "create", "stream" or "poll", or the request line of something else. */
  what: string;
  request: IncomingMessage;
  response: ServerResponse;
  body: string;
  /** Counts calls of this kind, from 1. */
  nth: number;
};

export type Script = (call: Call) => void;

export type ScriptedPlatform = AsyncDisposable & { url: string; calls: Call[]; count(what: string): number };

/** A fake Backplane: creates an intent as the contract says, and answers everything else from a script. */
export async function startScriptedPlatform(script: Script, port = 0): Promise<ScriptedPlatform> {
  const calls: Call[] = [];
  const count = (what: string) => calls.filter((call) => call.what === what).length;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const what = whatOf(request);
    const call = { what, request, response, body, nth: count(what) + 1 };
    calls.push(call);
    if (what === "create") sendJson(response, 201, intent(url));
    else script(call);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    calls,
    count,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function whatOf({ method, url = "", headers }: IncomingMessage): string {
  if (method === "POST" && url === "/auth/intents") return "create";
  if (url !== `/auth/intents/${INTENT}/status`) return `${method} ${url}`;
  return headers.accept === "text/event-stream" ? "stream" : "poll";
}

/** The fields and example values of the contract's intent table. */
export const intent = (url: string, lifeMs = 15 * 60_000) => ({
  token: INTENT,
  created_at: "2026-01-01T00:00:00.000Z",
  expires_at: new Date(Date.parse("2026-01-01T00:00:00.000Z") + lifeMs).toISOString(),
  requested_max_age: 7_776_000,
  auth_url: `${url}/auth/intent?token=${INTENT}`,
  updates_url: `https://elsewhere.example/auth/intents/${INTENT}/status`,
  completed: false,
  confirmation_code: "BCDF-GHJK",
});

export function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

export const pending = ({ response }: Call) => sendJson(response, 200, { state: "pending" });
export const approved = ({ response }: Call) =>
  sendJson(response, 200, { state: "authenticated", session_token: SESSION });

/** Opens the stream as Backplane does, then sends `text`. */
export function stream({ response }: Call, text = ""): void {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" }).write(`: ping\nretry: 20\n${text}`);
}

export const AUTHENTICATED = `event: authenticated\ndata: ${JSON.stringify({ session_token: SESSION })}\n\n`;
export const TIMEOUT = "event: timeout\ndata:\n\n";

export const sha256 = (text: unknown) => createHash("sha256").update(String(text)).digest("base64url");

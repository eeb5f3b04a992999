import assert from "node:assert/strict";
import type { Intent } from "../../packages/intents/src/contract.ts";
import { OWNER } from "./platform.ts";

/** A person at a browser, without the browser: signs in, decides. */
export async function signInAs(url: string, credentials: { name: string; password: string } = OWNER) {
  const headers = { "content-type": "application/json", origin: url, "sec-fetch-site": "same-origin" };
  const response = await fetch(`${url}/auth/login`, { method: "POST", headers, body: JSON.stringify(credentials) });
  assert.equal(response.status, 200, await response.text());
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  return {
    cookie,
    call: (at: string, path: string, init: { method?: string; body?: unknown } = {}) =>
      fetch(`${at}${path}`, {
        method: init.method ?? "GET",
        headers: { ...(init.body === undefined ? {} : { "content-type": "application/json" }), origin: at, cookie },
        ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
      }),
    decide(at: string, token: string, decision: "approve" | "deny" = "approve") {
      return this.call(at, `/auth/intents/${token}`, { method: "PATCH", body: { decision } });
    },
  };
}

export async function createIntent(url: string, body?: Record<string, unknown>): Promise<Intent> {
  const response = await fetch(`${url}/auth/intents`, {
    method: "POST",
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  assert.equal(response.status, 201);
  return (await response.json()) as Intent;
}

export type StreamEvent = { event: string; data: string };

/** The events of a status stream until the server ends it. */
export async function readStream(url: string, headers: Record<string, string> = {}): Promise<StreamEvent[]> {
  const response = await fetch(url, { headers: { accept: "text/event-stream", ...headers } });
  assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  const blocks = (await response.text()).split("\n\n");
  return blocks.flatMap((block) => {
    const event = /^event: (.*)$/m.exec(block)?.[1];
    return event === undefined ? [] : [{ event, data: /^data: ?(.*)$/m.exec(block)?.[1] ?? "" }];
  });
}

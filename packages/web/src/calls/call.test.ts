import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, call } from "./call.ts";

type Sent = { url: string; init: RequestInit };

function answering(response: () => Response | Promise<Response>) {
  const sent: Sent[] = [];
  const fetch = async (url: string | URL | Request, init: RequestInit = {}) => {
    sent.push({ url: String(url), init });
    return response();
  };
  return { sent, fetch: fetch as typeof globalThis.fetch };
}

const faultOf = (answer: Answer<unknown>) => {
  assert.ok(!answer.ok);
  return answer.fault;
};

test("a body is sent as JSON, and no type is claimed without one", async () => {
  const { sent, fetch } = answering(() =>
    Response.json({ name: "owner" }, { headers: { date: new Date(0).toUTCString() } }),
  );
  assert.deepEqual(await call({ method: "POST", path: "/auth/login", body: { name: "owner" } }, fetch), {
    ok: true,
    value: { name: "owner" },
    serverTimeMs: 0,
  });
  await call({ method: "DELETE", path: "/auth/logout" }, fetch);
  assert.equal(new Headers(sent[0]?.init.headers).get("content-type"), "application/json");
  assert.equal(sent[0]?.init.body, '{"name":"owner"}');
  assert.equal(new Headers(sent[1]?.init.headers).get("content-type"), null);
  assert.equal(sent[1]?.init.referrerPolicy, "no-referrer");
});

test("an answer without content is a success", async () => {
  const { fetch } = answering(() => new Response(null, { status: 204 }));
  const answer = await call({ method: "DELETE", path: "/auth/sessions/1" }, fetch);
  assert.ok(answer.ok);
  assert.equal(answer.value, undefined);
});

test("a problem carries its code, its fields and how long to wait", async () => {
  const errors = [{ pointer: "/name", message: "must match pattern" }];
  const { fetch } = answering(() =>
    Response.json(
      { code: "too-many-requests", title: "Too many requests", detail: "Wait.", errors },
      { status: 429, headers: { "retry-after": "120" } },
    ),
  );
  assert.deepEqual(faultOf(await call({ method: "POST", path: "/auth/login", body: {} }, fetch)), {
    status: 429,
    code: "too-many-requests",
    title: "Too many requests",
    detail: "Wait.",
    errors,
    retryAfterS: 120,
  });
});

test("an error page from a proxy is a fault with its status", async () => {
  const { fetch } = answering(() => new Response("<h1>Bad gateway</h1>", { status: 502 }));
  const fault = faultOf(await call({ method: "GET", path: "/user" }, fetch));
  assert.equal(fault.status, 502);
  assert.equal(fault.code, "unknown");
});

test("no answer is a fault too", async () => {
  const { fetch } = answering(() => Promise.reject(new TypeError("failed to fetch")));
  assert.equal(faultOf(await call({ method: "GET", path: "/user" }, fetch)).code, "silent");
});

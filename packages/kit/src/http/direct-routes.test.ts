import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { Type } from "typebox";
import { createLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { Problem } from "../problems.ts";
import { createApp } from "./app.ts";
import { createDirectRoutes, type DirectRoute, jsonAnswer } from "./direct-routes.ts";

const routes: DirectRoute[] = [
  {
    method: "POST",
    path: "/notes",
    schema: { summary: "Make a note", body: Type.Object({ text: Type.Optional(Type.String({ maxLength: 5 })) }) },
    maxBodyBytes: 100,
    anyOrigin: true,
    handle: async ({ body, address }) => jsonAnswer(201, { body, address }, ["location", "/notes/1"]),
  },
  {
    method: "GET",
    path: "/notes/:id/state",
    schema: { params: Type.Object({ id: Type.String() }) },
    handle({ parameter, headers }) {
      if (parameter === "gone") throw new Problem("not-found");
      if (parameter === "broken") throw new Error("secret");
      return jsonAnswer(200, { id: parameter, agent: headers["x-agent"] });
    },
    otherwise: {
      applies: ({ accept }) => accept === "text/event-stream",
      handle: (_request, reply) => reply.type("text/plain").send("a stream"),
    },
  },
];

async function serve(t: TestContext) {
  const metrics = createMetrics("test");
  const errors: unknown[] = [];
  const direct = createDirectRoutes(routes, {
    addressOf: ({ socket }) => socket.remoteAddress ?? "",
    observe: metrics.observeRequest,
    onError: (error) => errors.push(error),
  });
  let directly = 0;
  const app = await createApp({
    log: createLog({ process: "test", level: "silent", destination: { write: () => {} } }),
    metrics,
    now: Date.now,
    readiness: { checks: {}, isDraining: () => false },
    trustProxy: [],
    overHttps: false,
    answerFirst(request, response) {
      const isAnswered = direct.answerFirst(request, response);
      if (isAnswered) directly += 1;
      return isAnswered;
    },
  });
  direct.addRoutes(app);
  await app.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => app.close());
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return { url, metrics, errors, countDirect: () => directly };
}

/** What a caller can tell of an answer; ids of requests differ. */
async function seen(response: Response) {
  const body = (await response.json()) as Record<string, unknown>;
  if ("instance" in body) body.instance = "";
  const kept = ["content-type", "location", "cache-control", "access-control-allow-origin", "x-content-type-options"];
  return { status: response.status, body, headers: kept.map((name) => response.headers.get(name)) };
}

const json = { "content-type": "application/json" };
const REQUESTS: Record<string, { path: string; init: RequestInit }> = {
  "a body": { path: "/notes", init: { method: "POST", headers: json, body: '{"text":"hi"}' } },
  "no body": { path: "/notes", init: { method: "POST" } },
  "a wrong field": { path: "/notes", init: { method: "POST", headers: json, body: '{"text":"too long"}' } },
  "a wrong type": { path: "/notes", init: { method: "POST", headers: json, body: "[]" } },
  "no JSON": { path: "/notes", init: { method: "POST", headers: json, body: "{" } },
  "a parameter": { path: "/notes/a-1/state", init: { headers: { "x-agent": "test" } } },
  "an expected error": { path: "/notes/gone/state", init: {} },
  "an unexpected error": { path: "/notes/broken/state", init: {} },
};

test("a route that is declared once answers the same at both doors", async (t) => {
  const { url, countDirect, errors } = await serve(t);
  for (const [name, { path, init }] of Object.entries(REQUESTS)) {
    const before = countDirect();
    const direct = await seen(await fetch(url + path, init));
    assert.equal(countDirect(), before + 1, `${name}: on node:http`);
    const byFastify = await seen(await fetch(`${url}${path}?query`, init));
    assert.equal(countDirect(), before + 1, `${name}: by Fastify`);
    // Fastify adds the charset to every type.
    const plainType = byFastify.headers.with(0, direct.headers[0] ?? null);
    assert.deepEqual({ ...byFastify, headers: plainType }, direct, name);
  }
  assert.equal(errors.length, 1, "the unexpected error was reported");
});

test("an unusual request is left to Fastify: too large, another type, packed, something else at the same path", async (t) => {
  const { url, countDirect } = await serve(t);
  const post = (headers: Record<string, string>, body: string | Uint8Array<ArrayBuffer>) =>
    fetch(`${url}/notes`, { method: "POST", headers, body });
  assert.equal((await post(json, JSON.stringify({ text: "x".repeat(200) }))).status, 413);
  assert.equal((await post({ "content-type": "text/csv" }, "a,b")).status, 415);
  assert.equal((await post({ ...json, "content-encoding": "gzip" }, new Uint8Array(5))).status, 415);
  const stream = await fetch(`${url}/notes/1/state`, { headers: { accept: "text/event-stream" } });
  assert.equal(await stream.text(), "a stream");
  assert.equal((await fetch(`${url}/notes/%61/state`)).status, 200);
  assert.equal((await fetch(`${url}/notes//state`)).status, 200);
  assert.equal((await fetch(`${url}/notes`)).status, 405);
  assert.equal(countDirect(), 0);
});

test("both doors count in the metrics of the route", async (t) => {
  const { url, metrics } = await serve(t);
  await (await fetch(`${url}/notes`, { method: "POST" })).text();
  await (await fetch(`${url}/notes?query`, { method: "POST" })).text();
  await (await fetch(`${url}/notes/gone/state`)).text();
  const text = await metrics.render();
  assert.match(text, /_count\{method="POST",route="\/notes",status="201",process="test"\} 2/);
  assert.match(text, /_count\{method="GET",route="\/notes\/:id\/state",status="404",process="test"\} 1/);
});

test("a page of another origin may ask before it calls an open route", async (t) => {
  const { url } = await serve(t);
  const asked = await fetch(`${url}/notes`, { method: "OPTIONS" });
  assert.equal(asked.headers.get("access-control-allow-methods"), "POST");
});

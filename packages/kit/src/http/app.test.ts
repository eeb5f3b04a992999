import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { type TestContext, test } from "node:test";
import { Type } from "typebox";
import { until } from "../../../../scripts/testing/until.ts";
import { BusFault } from "../bus/fault.ts";
import { createLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { Problem } from "../problems.ts";
import { type AppOptions, createApp } from "./app.ts";
import type { App } from "./app-type.ts";
import { createMetricsCheck } from "./local-access.ts";
import { openToAnyOrigin } from "./origins.ts";

const CANARY = "cAnArY0123456789abcdef";

async function serve(t: TestContext, addRoutes: (app: App) => unknown, options: Partial<AppOptions> = {}) {
  const lines: string[] = [];
  const app = await createApp({
    log: createLog({ process: "test", level: "trace", destination: { write: (line) => lines.push(line) } }),
    metrics: createMetrics("test"),
    now: Date.now,
    readiness: { checks: {}, isDraining: () => false },
    trustProxy: [],
    overHttps: false,
    ...options,
  });
  await addRoutes(app);
  await app.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  return { app, lines, port, url: `http://127.0.0.1:${port}` };
}

const notes = (app: App) =>
  app.post(
    "/notes/:id",
    {
      schema: {
        params: Type.Object({ id: Type.Integer() }),
        querystring: Type.Object({ limit: Type.Optional(Type.Integer({ maximum: 10 })) }),
        body: Type.Object({
          text: Type.String(),
          size: Type.Optional(Type.Integer()),
          kind: Type.Optional(Type.Enum(["a", "b"])),
          place: Type.Optional(Type.Object({ x: Type.Integer() }, { additionalProperties: false })),
        }),
      },
    },
    async (request) => ({ ...request.body, id: request.params.id }),
  );

const postJson = (body: string) => ({ method: "POST", headers: { "content-type": "application/json" }, body });

async function problemAt(response: Response) {
  assert.equal(response.headers.get("content-type"), "application/problem+json; charset=utf-8");
  const body = (await response.json()) as Record<string, unknown>;
  assert.equal(body.status, response.status);
  assert.equal(body.instance, response.headers.get("x-request-id"));
  return body;
}

test("a valid request is answered", async (t) => {
  const { url } = await serve(t, notes);
  const response = await fetch(`${url}/notes/7`, postJson('{"text":"hi"}'));
  assert.deepEqual(await response.json(), { text: "hi", id: 7 });
});

test("every faulty field of a body is named by its pointer, and types are not coerced", async (t) => {
  const { url } = await serve(t, notes);
  const response = await fetch(`${url}/notes/7`, postJson('{"size":"5","kind":"c","place":{"x":1,"colour":1}}'));
  assert.equal(response.status, 422);
  assert.deepEqual((await problemAt(response)).errors, [
    { pointer: "/text", message: "is missing" },
    { pointer: "/size", message: "must be integer" },
    { pointer: "/kind", message: "must be one of a, b" },
    { pointer: "/place/colour", message: "is not a known field" },
  ]);
});

test("unknown keys of a body are ignored, and a route that would refuse them cannot be added", async (t) => {
  const { url } = await serve(t, notes);
  const response = await fetch(`${url}/notes/7`, postJson('{"text":"hi","colour":1}'));
  assert.equal(response.status, 200);
  const closed = Type.Object({}, { additionalProperties: false });
  for (const body of [closed, Type.Union([closed, Type.Null()])]) {
    await serve(t, (app) =>
      assert.throws(() => app.post("/closed", { schema: { body } }, async () => ""), /POST \/closed refuses unknown/),
    );
  }
});

test("a faulty query or path parameter is 400 and named", async (t) => {
  const { url } = await serve(t, notes);
  const query = await problemAt(await fetch(`${url}/notes/7?limit=11`, postJson('{"text":""}')));
  assert.deepEqual([query.status, query.errors], [400, [{ pointer: "/limit", message: "must be <= 10" }]]);
  const path = await problemAt(await fetch(`${url}/notes/x`, postJson('{"text":""}')));
  assert.deepEqual([path.status, path.code], [400, "invalid-parameter"]);
});

for (const [what, request, status, code] of [
  ["text that is not JSON", postJson("{nope"), 400, "malformed-request"],
  ["an empty JSON body", postJson(""), 400, "malformed-request"],
  ["a body over its limit", postJson(JSON.stringify({ text: "x".repeat(1_100_000) })), 413, "payload-too-large"],
  [
    "a body of another type",
    { method: "POST", headers: { "content-type": "text/xml" }, body: "<a/>" },
    415,
    "unsupported-media-type",
  ],
  [
    "an encoded body",
    { method: "POST", headers: { "content-type": "application/json", "content-encoding": "gzip" }, body: "x" },
    415,
    "unsupported-media-type",
  ],
  ["a prototype key", postJson('{"__proto__":{"text":"x"}}'), 400, "malformed-request"],
] as const) {
  test(`${what} is refused with ${status}`, async (t) => {
    const { url } = await serve(t, notes);
    const problem = await problemAt(await fetch(`${url}/notes/7`, request));
    assert.deepEqual([problem.status, problem.code], [status, code]);
  });
}

test("an unknown address is 404, a known one with another method is 405 with Allow", async (t) => {
  const { url } = await serve(t, notes);
  assert.equal((await problemAt(await fetch(`${url}/nothing?token=${CANARY}`))).code, "not-found");
  const response = await fetch(`${url}/notes/7`, { method: "DELETE" });
  assert.equal((await problemAt(response)).code, "method-not-allowed");
  assert.equal(response.headers.get("allow"), "POST");
});

test("HEAD runs no GET handler unless the route asks for it", async (t) => {
  let consumed = 0;
  const { url } = await serve(t, (app) => app.get("/once", async () => ({ consumed: ++consumed })));
  assert.equal((await fetch(`${url}/once`, { method: "HEAD" })).status, 405);
  assert.equal(consumed, 0);
  assert.equal((await fetch(`${url}/health`, { method: "HEAD" })).status, 200);
});

test("an internal error is a bare 500 for the caller and a logged error for the operator", async (t) => {
  const { url, lines } = await serve(t, (app) =>
    app.get("/broken", async () => {
      throw Object.assign(new Error(`no connection to postgres://u:${CANARY}@db`), { config: { password: CANARY } });
    }),
  );
  const body = JSON.stringify(await problemAt(await fetch(`${url}/broken`)));
  assert.match(body, /internal-error/);
  assert.doesNotMatch(body, new RegExp(CANARY));
  assert.match(lines.join(""), /no connection to postgres/);
  assert.doesNotMatch(lines.join(""), new RegExp(CANARY));
});

test("no log line of a request contains secrets from its address, headers or body", async (t) => {
  const { url, lines } = await serve(t, notes);
  const headers = { authorization: `Bearer ${CANARY}`, cookie: `session_token=${CANARY}`, "x-api-key": CANARY };
  await fetch(`${url}/notes/${CANARY}?code=${CANARY}`, { ...postJson(`{"${CANARY}":1}`), headers });
  await fetch(`${url}/${CANARY}`, { headers });
  await fetch(`${url}/health?state=${CANARY}`, { headers });
  assert.ok(lines.length >= 3);
  assert.doesNotMatch(lines.join(""), new RegExp(CANARY));
});

test("every answer carries the security headers and no CORS header", async (t) => {
  const { url } = await serve(t, notes, { overHttps: true });
  for (const path of ["/health", "/nothing"]) {
    const { headers } = await fetch(`${url}${path}`, { headers: { origin: "https://elsewhere.example" } });
    assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'.*frame-ancestors 'none'/);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.equal(headers.get("x-frame-options"), "DENY");
    assert.match(headers.get("strict-transport-security") ?? "", /max-age=/);
    assert.equal(headers.get("access-control-allow-origin"), null);
  }
});

test("large answers are compressed, small ones are not", async (t) => {
  const { url } = await serve(t, (app) => {
    app.get("/large", async () => ({ text: "backplane ".repeat(1_000) }));
    app.get("/small", async () => ({ text: "x" }));
  });
  const headers = { "accept-encoding": "br" };
  assert.equal((await fetch(`${url}/large`, { headers })).headers.get("content-encoding"), "br");
  assert.equal((await fetch(`${url}/small`, { headers })).headers.get("content-encoding"), null);
});

/** What a raw socket gets back after it sent something. */
async function exchange(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(text);
  let answer = "";
  for await (const chunk of socket) answer += chunk;
  return answer;
}

test("headers over their limit get 431, input that is not HTTP gets 400, and both close the connection", async (t) => {
  const { port } = await serve(t, notes);
  const large = await exchange(port, `GET /health HTTP/1.1\r\nHost: x\r\nX-Filler: ${"x".repeat(20_000)}\r\n\r\n`);
  assert.match(large, /^HTTP\/1\.1 431 [\s\S]*"code":"headers-too-large"/);
  assert.match(await exchange(port, `NONSENSE ${CANARY}\r\n\r\n`), /^HTTP\/1\.1 400 [\s\S]*"code":"malformed-request"/);
});

test("no header is ignored, however many come before it", async (t) => {
  const { port } = await serve(t, (app) => app.get("/address", async ({ ip }) => ip), { trustProxy: ["127.0.0.1"] });
  const many = "a:\r\n".repeat(3_000);
  const ours = "Host: x\r\nConnection: close\r\n";
  const answer = await exchange(port, `GET /address HTTP/1.1\r\n${ours}${many}X-Forwarded-For: 203.0.113.9\r\n\r\n`);
  assert.match(answer, /\r\n\r\n203\.0\.113\.9$/);
});

test("an unknown address is answered before the body is read", async (t) => {
  const { port } = await serve(t, notes);
  for (const line of ["POST /nothing", "PUT /notes/7"]) {
    const socket = connect(port, "127.0.0.1").setEncoding("utf8");
    socket.write(`${line} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{`);
    assert.match((await once(socket, "data"))[0], /^HTTP\/1\.1 40[45] /);
    socket.destroy();
  }
});

test("a request for options is answered before its body is read", async (t) => {
  const { port } = await serve(t, (app) => openToAnyOrigin(app, [{ url: "/notes", methods: ["GET"] }]));
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  socket.write(
    "OPTIONS /notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{",
  );
  assert.match((await once(socket, "data"))[0], /^HTTP\/1\.1 204 /);
  socket.destroy();
});

for (const [what, lines] of [
  ["an expectation that nobody knows", "Host: x\r\nExpect: wonders\r\n"],
  ["no host", ""],
] as const) {
  test(`pipelined requests with ${what} count as unanswered like any other`, async (t) => {
    const { port } = await serve(t, (app) => app.get("/held", (_request, reply) => void reply.hijack()));
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    const held = "GET /held HTTP/1.1\r\nHost: x\r\n\r\n";
    socket.resume().write(`${held}${`GET /notes HTTP/1.1\r\n${lines}\r\n`.repeat(1_000)}`);
    await new Promise((resolve) => socket.once("close", resolve));
  });
}

test("a request without a host is 400, unless it is HTTP/1.0", async (t) => {
  const { port } = await serve(t, () => {});
  assert.match(
    await exchange(port, "GET /health HTTP/1.1\r\nConnection: close\r\n\r\n"),
    /^HTTP\/1\.1 400 [\s\S]*"malformed-request"/,
  );
  assert.match(await exchange(port, "GET /health HTTP/1.0\r\n\r\n"), /^HTTP\/1\.1 200 /);
});

test("a sender slower than the limit is cut off with 408", async (t) => {
  const { port } = await serve(t, notes, {
    limits: { requestTimeoutMs: 100, headersTimeoutMs: 100, timeoutCheckMs: 20 },
  });
  assert.match(await exchange(port, "POST /notes/1 HTTP/1.1\r\nHost: x\r\nContent-Le"), /^HTTP\/1\.1 408 /);
});

test("a peer that was refused cannot keep its socket open by not closing its half", async (t) => {
  const { app, port } = await serve(t, notes);
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.write("NONSENSE\r\n\r\n");
  await once(socket.resume(), "end");
  const connections = () => new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)));
  await until("the server has let go of the socket", async () => (await connections()) === 0);
  socket.destroy();
});

test("for a large body only the first fault is reported, at no more cost than reading it", async (t) => {
  const { url } = await serve(t, (app) =>
    app.post("/list", { schema: { body: Type.Object({ list: Type.Array(Type.String()) }) } }, async () => "ok"),
  );
  const response = await fetch(`${url}/list`, postJson(JSON.stringify({ list: Array(100_000).fill(1) })));
  assert.deepEqual((await problemAt(response)).errors, [{ pointer: "/list/0", message: "must be string" }]);
});

test("a lost bus is 503 with its own code, and says that it is not known whether a change was made", async (t) => {
  const { url } = await serve(t, (app) =>
    app.route({
      method: ["GET", "POST"],
      url: "/claim",
      async handler() {
        throw new BusFault("unavailable", "away");
      },
    }),
  );
  const [read, changed] = [await fetch(`${url}/claim`), await fetch(`${url}/claim`, postJson("{}"))];
  const detail = "The message bus does not answer. It is not known whether this was done, so look first.";
  for (const [response, said] of [
    [read, undefined],
    [changed, detail],
  ] as const) {
    const problem = await problemAt(response);
    assert.deepEqual([problem.status, problem.code, problem.detail], [503, "bus-unavailable", said]);
  }
});

test("an address that cannot be read is answered with the security headers too", async (t) => {
  const { port } = await serve(t, notes);
  const answer = await exchange(port, "GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*content-security-policy: default-src 'none'/i);
});

test("a path parameter over its limit is 414 and a broken escape 400", async (t) => {
  const { url, port } = await serve(t, notes);
  assert.equal((await problemAt(await fetch(`${url}/notes/${"9".repeat(600)}`, postJson("{}")))).status, 414);
  assert.match(
    await exchange(port, "POST /notes/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
    /^HTTP\/1\.1 400 /,
  );
});

test("/ready names what is away, is 503 only without what it needs, and /health stays 200", async (t) => {
  const state = { database: true, bus: true, draining: false, processesDown: [] as string[] };
  let nowMs = 1_000;
  const { url } = await serve(t, () => {}, {
    now: () => nowMs,
    readiness: {
      checks: {
        database: async () => assert.ok(state.database),
      },
      optionalChecks: {
        bus: async () => assert.ok(state.bus),
      },
      isDraining: () => state.draining,
      processesDown: () => state.processesDown,
    },
  });
  const ready = async () => {
    nowMs += 1_000; // past the cache of the checks
    const response = await fetch(`${url}/ready`);
    return [response.status, await response.json()];
  };
  const ok = { ready: true, draining: false, checks: { database: "ok", bus: "ok" }, reasons: {}, degraded: [] };
  assert.deepEqual(await ready(), [200, ok]);
  state.database = false;
  assert.deepEqual(await ready(), [
    503,
    { ...ok, ready: false, checks: { database: "failing", bus: "ok" }, degraded: ["database"] },
  ]);
  assert.equal((await fetch(`${url}/health`)).status, 200);
  state.database = true;
  assert.deepEqual(await ready(), [200, ok]);
  Object.assign(state, { bus: false, processesDown: ["platform"] });
  assert.deepEqual(await ready(), [
    200,
    { ...ok, checks: { database: "ok", bus: "failing" }, degraded: ["bus", "platform"] },
  ]);
  Object.assign(state, { bus: true, processesDown: [] });
  state.draining = true;
  assert.deepEqual(await ready(), [503, { ...ok, ready: false, draining: true }]);
});

test("a check that knows why it fails has its reason in /ready", async (t) => {
  const detail = "The disk is full.";
  const { url } = await serve(t, () => {}, {
    readiness: {
      checks: { disk: () => Promise.reject(new Problem("disk-full", { detail })) },
      isDraining: () => false,
    },
  });
  const { reasons } = (await (await fetch(`${url}/ready`)).json()) as { reasons: unknown };
  assert.deepEqual(reasons, { disk: detail });
});

const SYSTEM_ERRORS: Record<string, [status: number, code: string, detail: RegExp]> = {
  ENOSPC: [507, "disk-full", /^The disk is full\. /],
  EROFS: [507, "disk-unavailable", /^The disk is read-only\. /],
  ENOENT: [507, "disk-unavailable", /^A folder or file of Backplane is missing\. /],
  EACCES: [507, "disk-unavailable", /^Backplane has no permission /],
  EIO: [507, "disk-unavailable", /^The disk reports errors\. /],
  EMFILE: [503, "out-of-descriptors", /^Too many files and connections are open\. /],
};

test("errors of the disk say what is wrong with it, and nothing about where it is", async (t) => {
  const { url } = await serve(t, (app) =>
    app.get("/:code", async ({ params }) => {
      const { code } = params as { code: string };
      throw Object.assign(new Error(`${code}: '/home/${CANARY}'`), { code, syscall: "open", path: CANARY });
    }),
  );
  for (const [systemCode, expected] of Object.entries(SYSTEM_ERRORS)) {
    const problem = await problemAt(await fetch(`${url}/${systemCode}`));
    assert.deepEqual([problem.status, problem.code], expected.slice(0, 2));
    assert.match(String(problem.detail), expected[2]);
    assert.doesNotMatch(JSON.stringify(problem), new RegExp(CANARY));
  }
  assert.equal((await fetch(`${url}/ECONNREFUSED`)).status, 500);
});

test("a check that hangs counts as failing", async (t) => {
  const { url } = await serve(t, () => {}, {
    readiness: { checks: { bus: () => new Promise(() => {}) }, isDraining: () => false },
  });
  assert.equal((await fetch(`${url}/ready`)).status, 503);
});

test("/metrics counts requests by route pattern, never by address", async (t) => {
  const { url } = await serve(t, notes);
  await fetch(`${url}/notes/7?code=${CANARY}`, postJson('{"text":"hi"}'));
  await fetch(`${url}/${CANARY}`);
  const text = await (await fetch(`${url}/metrics`)).text();
  assert.match(text, /duration_seconds_count\{[^}]*route="\/notes\/:id"[^}]*status="200"[^}]*\} 1\n/);
  assert.match(text, /route="\(no such route\)"[^}]*status="404"/);
  assert.doesNotMatch(text, new RegExp(CANARY));
});

test("/metrics answers programs on this machine that ask directly, and anybody with METRICS_TOKEN", async (t) => {
  const metricsToken = `${CANARY}${CANARY}`;
  const ask = async (headers: Record<string, string>, trustProxy: string[] = []) => {
    const mayReadMetrics = createMetricsCheck({ trustProxy, metricsToken });
    const { url } = await serve(t, () => {}, { trustProxy, mayReadMetrics });
    return (await fetch(`${url}/metrics`, { headers })).status;
  };
  assert.equal(await ask({}), 200);
  const token = { authorization: `Bearer ${metricsToken}` };
  const viaProxy = { "x-forwarded-for": "203.0.113.9" };
  assert.equal(await ask(viaProxy), 401, "through a proxy on this machine that is not trusted");
  assert.equal(await ask({ "x-forwarded-for": "127.0.0.1" }, ["127.0.0.1"]), 401, "through a trusted one");
  assert.equal(await ask({}, ["127.0.0.1"]), 401, "a trusted one that names nobody");
  for (const trusted of [[], ["127.0.0.1"]]) {
    assert.equal(await ask({ ...viaProxy, ...token }, trusted), 200);
    assert.equal(await ask({ ...viaProxy, authorization: `Bearer ${CANARY}` }, trusted), 401);
  }
});

test("X-Forwarded headers count only from the addresses of TRUST_PROXY", async (t) => {
  const headers = { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https", "x-forwarded-host": "box.example" };
  const seenBehind = async (trustProxy: string[]) => {
    const addRoutes = (app: App) => app.get("/seen", async ({ ip, protocol, hostname }) => [ip, protocol, hostname]);
    const { url } = await serve(t, addRoutes, { trustProxy });
    return (await fetch(`${url}/seen`, { headers })).json();
  };
  assert.deepEqual(await seenBehind(["127.0.0.1"]), ["203.0.113.9", "https", "box.example"]);
  for (const others of [[], ["192.0.2.1"]]) {
    assert.deepEqual(await seenBehind(others), ["127.0.0.1", "http", "127.0.0.1"]);
  }
});

test("the OpenAPI 3.1 document lists the routes and /docs is a page that loads nothing and runs only its own script", async (t) => {
  const apiDocs = { title: "Test", description: "A test", version: "1.2.3", url: "http://localhost" };
  const { url } = await serve(t, notes, { apiDocs });
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Record<string, Record<string, unknown>>;
  assert.equal(document.openapi, "3.1.0");
  assert.deepEqual(Object.keys(document.paths ?? {}).sort(), ["/health", "/metrics", "/notes/{id}", "/ready"]);
  const page = await fetch(`${url}/docs/`);
  assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
  assert.match(
    page.headers.get("content-security-policy") ?? "",
    /^default-src 'none'; .*script-src 'sha256-[^ ;]+'; /,
  );
  assert.match(await page.text(), /<wbr>\/notes<wbr>\/\{id\}/);
});

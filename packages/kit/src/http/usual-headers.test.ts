import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { createLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { createApp } from "./app.ts";
import { securityHeaders } from "./security-headers.ts";
import { addUsualHeaders, allowFraming, headerLines, writeHeadWith } from "./usual-headers.ts";

const USUAL = securityHeaders({ overHttps: true });
const { "x-frame-options": _left, ...FRAMED } = USUAL;
const NONE = Object.fromEntries(Object.keys(USUAL).map((name) => [name, undefined]));
const LINES = headerLines(["content-type", "text/plain", "x-many", "a, b"]);
const OTHER = { "referrer-policy": "same-origin" };

const EXPECTED: [path: string, headers: Record<string, string | undefined>][] = [
  ["/plain", USUAL],
  ["/nothing-here", USUAL],
  ["/answered-by-a-hook", USUAL],
  ["/fails", USUAL],
  ["/changed", { ...USUAL, ...OTHER }],
  ["/framed", { ...FRAMED, "x-frame-options": undefined }],
  ["/past-fastify", NONE],
  ["/past-fastify-with-them", { ...USUAL, ...OTHER }],
];

async function serve(t: TestContext) {
  const app = await createApp({
    log: createLog({ process: "test", level: "silent", destination: { write() {} } }),
    metrics: createMetrics("test"),
    now: Date.now,
    readiness: { checks: {}, isDraining: () => false },
    trustProxy: [],
    overHttps: true,
  });
  app.addHook("onRequest", (request, reply, done) => {
    if (request.url === "/answered-by-a-hook") reply.send("ok");
    else done();
  });
  app.get("/plain", async () => ({ ok: true }));
  app.get("/fails", async () => {
    throw new Error("fault");
  });
  app.get("/changed", async (_request, reply) => reply.headers(OTHER).send("ok"));
  app.get("/framed", async (_request, reply) => allowFraming(reply).send("ok"));
  app.get("/past-fastify", (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, ["content-type", "text/plain"]).end();
  });
  app.get("/past-fastify-with-them", (_request, reply) => {
    reply.hijack();
    addUsualHeaders(reply);
    reply.raw.writeHead(200, OTHER).end();
  });
  app.get("/with-lines", (_request, reply) => {
    reply.hijack();
    writeHeadWith(reply.raw, 201, ["location", "/1", "content-length", "2"], LINES);
    reply.raw.end("ok");
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => app.close());
  return app;
}

const chosen = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.keys(USUAL).map((name) => [name, headers[name]]));

test("every answer of Fastify has the usual headers once, with what its route changes", async (t) => {
  const app = await serve(t);
  const { port } = app.server.address() as AddressInfo;
  for (const [path, expected] of EXPECTED) {
    const { headers, rawHeaders } = await new Promise<{ headers: IncomingHttpHeaders; rawHeaders: string[] }>(
      (resolve, reject) => get({ port, path }, (answer) => resolve(answer.resume())).on("error", reject),
    );
    assert.deepEqual(chosen(headers), { ...NONE, ...expected }, path);
    const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
    assert.equal(new Set(names).size, names.length, path);
    assert.equal(names.includes("x-request-id"), path !== "/past-fastify", path);
  }
});

test("an injected request gets the same headers", async (t) => {
  const app = await serve(t);
  for (const [path, expected] of EXPECTED.filter(([path]) => !path.startsWith("/past"))) {
    const { headers } = await app.inject({ path, headers: { host: "localhost" } });
    assert.deepEqual(chosen(headers as IncomingHttpHeaders), { ...NONE, ...expected }, path);
    assert.equal(typeof headers["x-request-id"], "string");
  }
});

test("header lines that are put together once arrive like others, on any kind of response, and are checked", async (t) => {
  const app = await serve(t);
  const bare = createServer((_request, response) => {
    writeHeadWith(response, 201, ["location", "/1", "content-length", "2"], LINES);
    response.end("ok");
  }).listen(0, "127.0.0.1");
  t.after(() => bare.close());
  await once(bare, "listening");
  for (const [server, path] of [
    [app.server, "/with-lines"],
    [bare, "/"],
  ] as const) {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
    const names = ["content-type", "x-many", "location", "content-length", "transfer-encoding"];
    const values = names.map((name) => answer.headers.get(name));
    assert.deepEqual([answer.status, await answer.text()], [201, "ok"]);
    assert.deepEqual(values, ["text/plain", "a, b", "/1", "2", null]);
  }
  assert.throws(() => headerLines(["x-many", "a\r\nset-cookie: b"]), /Invalid character/);
  assert.throws(() => headerLines(["x many", "a"]), /valid HTTP token/);
});

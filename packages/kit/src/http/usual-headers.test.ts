import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { createLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { createApp } from "./app.ts";
import { answerPlainly, countText } from "./plain-answer.ts";
import { securityHeaders } from "./security-headers.ts";
import { addUsualHeaders, allowFraming, prepareHeaders } from "./usual-headers.ts";

const USUAL = securityHeaders({ overHttps: true });
const { "x-frame-options": _left, ...FRAMED } = USUAL;
const NONE = Object.fromEntries(Object.keys(USUAL).map((name) => [name, undefined]));
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

const PREPARED = prepareHeaders(["Content-Type", "text/plain; charset=utf-8", "Referrer-Policy", "no-referrer"]);

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
  app.get("/prepared", (_request, reply) => {
    reply.hijack();
    answerPlainly(reply.raw, 200, PREPARED, countText("prepared µ"));
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

test("an answer with prepared headers is the same as one whose headers node:http has checked", async (t) => {
  const app = await serve(t);
  const other = createServer((_request, response) => answerPlainly(response, 200, PREPARED, "prepared µ"));
  other.listen(0, "127.0.0.1");
  await once(other, "listening");
  t.after(() => other.close());
  const answers = [app.server, other].map(async (server) => {
    const { port } = server.address() as AddressInfo;
    const [answer] = (await once(get({ port, path: "/prepared", agent: false }), "response")) as [IncomingMessage];
    const body = Buffer.concat(await answer.toArray()).toString();
    return { body, headers: answer.rawHeaders.toSpliced(answer.rawHeaders.indexOf("Date"), 2) };
  });
  const [prepared, checked] = await Promise.all(answers);
  assert.deepEqual(
    prepared?.headers.toSorted(),
    [...PREPARED.list, "content-length", "11", "Connection", "close"].toSorted(),
  );
  assert.deepEqual(prepared?.headers.toSorted(), checked?.headers.toSorted());
  assert.equal(prepared?.body, "prepared µ");
  assert.equal(checked?.body, "prepared µ");
});

test("headers that node:http would refuse cannot be prepared", () => {
  assert.throws(() => prepareHeaders(["x-name", "two\r\nlines"]), { code: "ERR_INVALID_CHAR" });
  assert.throws(() => prepareHeaders(["no name", "value"]), { code: "ERR_INVALID_HTTP_TOKEN" });
});

import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { plainFetch } from "./plain-fetch.ts";
import { readText } from "./toolbox/bounded-body.ts";

async function serve(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test("it asks with method, headers and body, and gives status, headers and body of the answer", async (t) => {
  const url = await serve(t, async (request, response) => {
    const asked = await readText(request, 100);
    response.writeHead(409, { "Retry-After": "7" }).end(`${request.method} ${request.headers.accept} ${asked}`);
  });
  const answer = await plainFetch(url, { method: "POST", headers: { accept: "text/x" }, body: "ä" });
  assert.deepEqual([answer.status, answer.ok, answer.headers.get("retry-after")], [409, false, "7"]);
  assert.equal(await readText(answer.body, 100), "POST text/x ä");
});

test("it follows no redirect, and refuses one where it should", async (t) => {
  const url = await serve(t, (_request, response) => void response.writeHead(302, { location: "/there" }).end());
  assert.equal((await plainFetch(url, { redirect: "manual" })).status, 302);
  await assert.rejects(plainFetch(url, { redirect: "error" }), TypeError);
  const made = await serve(t, (_request, response) => void response.writeHead(201, { location: "/there" }).end());
  assert.equal((await plainFetch(made, { redirect: "error" })).status, 201);
});

test("the connection of an answer that is refused ends, even if the answer does not", async (t) => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const url = await serve(t, (request, response) => {
    request.socket.once("close", () => resolve());
    response.writeHead(302, { location: "/there" }).write("and more, without end");
  });
  await assert.rejects(plainFetch(url, { redirect: "error" }), TypeError);
  await closed;
});

test("without an answer, the cause has the system's code; once aborted, the reason is thrown", async (t) => {
  const url = await serve(t, (request) => void request.socket.destroy());
  await assert.rejects(plainFetch(url), ({ cause }: Error) => (cause as NodeJS.ErrnoException).code === "ECONNRESET");
  const reason = new Error("enough");
  await assert.rejects(plainFetch(url, { signal: AbortSignal.abort(reason) }), reason);
});

test("an answer can be read as text and as JSON; one that breaks off, or takes too long, is a fault", async (t) => {
  const url = await serve(t, (_request, response) => void response.end('{"status":"ok"}'));
  assert.equal(await (await plainFetch(url)).text(), '{"status":"ok"}');
  assert.deepEqual(await (await plainFetch(url)).json(), { status: "ok" });
  const half = await serve(t, (request, response) => {
    response.writeHead(200, { "content-length": "10" }).write("half");
    if (request.headers.accept === "none") setImmediate(() => response.destroy());
  });
  const broken = await plainFetch(half, { headers: { accept: "none" } });
  await assert.rejects(broken.text(), TypeError);
  const reason = new Error("enough");
  const stop = new AbortController();
  const slow = await plainFetch(half, { signal: stop.signal });
  const read = assert.rejects(slow.text(), reason);
  stop.abort(reason);
  await read;
});

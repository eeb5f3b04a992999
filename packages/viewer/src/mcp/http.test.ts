import assert from "node:assert/strict";
import { test } from "node:test";
import { listen } from "./clients.suite.ts";
import { MCP_LIMITS } from "./limits.ts";
import { memoryAccess } from "./memory-access.suite.ts";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body,
  });

test("a page from another site is refused, whatever it sends; local pages and programs are not", async () => {
  const { app, url } = await listen(memoryAccess());
  const status = async (headers: Record<string, string>) =>
    (await post(url, JSON.stringify(INITIALIZE), headers)).status;
  for (const origin of ["https://evil.example", "null", "http://localhost.evil.example", "nonsense"]) {
    assert.equal(await status({ origin }), 403, origin);
  }
  assert.equal(await status({}), 200);
  for (const origin of ["http://localhost:3000", "http://127.0.0.1:8770", "http://[::1]:1"]) {
    assert.equal(await status({ origin }), 200, origin);
  }
  await app.close();
});

test("a message of more than 16 MiB is 413, and the server keeps working", async () => {
  const { app, url } = await listen(memoryAccess());
  const large = await post(url, `"${"x".repeat(MCP_LIMITS.maxBodyBytes)}"`);
  assert.equal(large.status, 413);
  assert.equal(((await large.json()) as { code: string }).code, "payload-too-large");
  assert.equal((await post(url, JSON.stringify(INITIALIZE))).status, 200);
  await app.close();
});

test("anything but a JSON message is refused as the protocol requires", async () => {
  const { app, url } = await listen(memoryAccess());
  const broken = await post(url, "{");
  assert.equal(broken.status, 400);
  assert.equal(((await broken.json()) as { error: { code: number } }).error.code, -32700);
  assert.equal((await post(url, "")).status, 400);
  assert.equal((await post(url, '{"jsonrpc":"1.0"}')).status, 400);
  assert.equal((await post(url, "hello", { "content-type": "text/plain" })).status, 415);
  assert.equal((await fetch(url)).status, 405);
  assert.equal((await fetch(url, { method: "DELETE" })).status, 405);
  assert.equal((await fetch(url, { method: "PUT", body: "x" })).status, 405);
  await app.close();
});

test("answers have the usual security headers", async () => {
  const { app, url } = await listen(memoryAccess());
  const { headers } = await post(url, JSON.stringify(INITIALIZE));
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.equal(headers.get("access-control-allow-origin"), null);
  await app.close();
});

test("a server that stops answers waiting calls first", async () => {
  const access = memoryAccess();
  const { app, url } = await listen(access);
  const call = { name: "av_screenshot_latest", arguments: { wait_seconds: 300 } };
  const answer = post(url, JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: call }));
  await access.whenWaiting(2);
  await app.close();
  assert.match(await (await answer).text(), /not-ready: The viewer is shutting down/);
  assert.equal(access.waiting.next, 0);
});

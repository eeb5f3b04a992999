import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../../../scripts/services/index.ts";
import { until } from "../../../../scripts/testing/until.ts";
import { allowSlowBody } from "../http/index.ts";
import { createLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { readSettings } from "../settings.ts";
import { DRAIN_REQUESTS_MS } from "./limits.ts";
import { serve } from "./serve.ts";

/** A server with an upload of which half has arrived. */
async function serveUpload(drainDelayMs: number, onDrain = () => {}) {
  const state = { isDraining: false };
  const begun = Promise.withResolvers<void>();
  const order = Promise.withResolvers<void>();
  const browser = Promise.withResolvers<string>();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const context = {
    settings: readSettings({}, "/"),
    log: createLog({ process: "test", level: "silent", destination: { write() {} } }),
    metrics: createMetrics("test"),
    isDraining: () => state.isDraining,
    processesDown: () => [],
    tellParent() {},
  };
  const started = await serve(context, {
    ...{ port, url, drainDelayMs },
    drain: async () => onDrain(),
    addRoutes(app) {
      app.addContentTypeParser("application/zip", (_request, _payload, done) => done(null));
      app.post("/upload", async ({ raw }) => {
        allowSlowBody(raw, { idleMs: 60_000, withinMs: 60_000 });
        begun.resolve();
        let bytes = 0;
        for await (const piece of raw) bytes += piece.length;
        return { bytes };
      });
      app.get("/order", () => {
        order.resolve();
        return browser.promise;
      });
    },
  });
  const upload = request(`${url}/upload`, {
    method: "POST",
    headers: { "content-type": "application/zip", "content-length": 10 },
  });
  upload.write("12345");
  await begun.promise;
  return {
    url,
    upload,
    order,
    browser,
    stop() {
      state.isDraining = true;
      return started.stop();
    },
  };
}

test("with a drain delay, a stop first turns /ready to 503 and serves on, then closes the listener; uploads in flight finish", async () => {
  const { url, upload, stop } = await serveUpload(3_000);
  const answered = once(upload, "response");
  const stopped = stop();
  const ready = await fetch(`${url}/ready`);
  assert.deepEqual([ready.status, ((await ready.json()) as { draining: boolean }).draining], [503, true]);
  const health = await fetch(`${url}/health`);
  assert.deepEqual([health.status, health.headers.get("connection")], [200, "close"]);
  const isClosed = () =>
    fetch(`${url}/health`).then(
      () => false,
      () => true,
    );
  await until("the listener is closed", isClosed);
  // Without the delay it would be cut off by now.
  await sleep(DRAIN_REQUESTS_MS + 500);
  upload.end("67890");
  const [response] = await answered;
  assert.equal(response.statusCode, 200);
  assert.equal(String(await response.setEncoding("utf8").toArray()), '{"bytes":10}');
  await stopped;
});

test("with a drain delay, a request that waits for a browser is answered, however long that takes", async () => {
  const { url, upload, order, browser, stop } = await serveUpload(1);
  upload.end("67890");
  await once(upload, "response");
  const ordered = fetch(`${url}/order`);
  await order.promise;
  const stopped = stop();
  await sleep(DRAIN_REQUESTS_MS + 1_000);
  browser.resolve("done");
  assert.equal(await (await ordered).text(), "done");
  await stopped;
});

test("with a drain delay, a request on a connection that was opened just before the listener closed is answered", async () => {
  let socket: Socket | undefined;
  const { url, upload, stop } = await serveUpload(1, () =>
    socket?.end("GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n"),
  );
  socket = connect(Number(new URL(url).port), "127.0.0.1");
  await once(socket, "connect");
  upload.end("67890");
  const answer = socket.setEncoding("utf8").toArray();
  await stop();
  assert.match(String(await answer), /^HTTP\/1.1 200 /);
});

test("without a drain delay, a stop cuts off an upload like any request, so that Ctrl-C is quick", async () => {
  const { upload, stop } = await serveUpload(0);
  const cut = once(upload, "error");
  await stop();
  const [error] = await cut;
  assert.equal(error.code, "ECONNRESET");
});

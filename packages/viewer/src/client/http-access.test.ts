import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { PAGE_PATH } from "@backplane/contract/viewer";
import { pngOf, SECRET, startViewer } from "../routes/viewer-under-test.suite.ts";
import { describeAccess } from "./access.suite.ts";
import { createHttpAccess } from "./http-access.ts";

const QUICK = { firstDelayMs: 5, longestDelayMs: 20 };

const streamsOpened = new Map<string, number>();

describeAccess(
  "over HTTP",
  ({ url, project }) => {
    const countStreams: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (String(input).endsWith("/events")) streamsOpened.set(url, (streamsOpened.get(url) ?? 0) + 1);
      return response;
    };
    return createHttpAccess({ url, secret: SECRET, project, fetch: countStreams });
  },
  async ({ url }, waits) => {
    while ((streamsOpened.get(url) ?? 0) < waits) await setImmediate();
  },
);

test("an interrupted stream is opened again, and no screenshot is missed", async (t) => {
  const viewer = await startViewer(t);
  let opened = 0;
  /** The first stream ends after its hello, and a screenshot is pasted before the second. */
  const breaking: typeof fetch = async (input, init) => {
    if (!String(input).endsWith("/events")) return fetch(input, init);
    opened += 1;
    if (opened > 1) return fetch(input, init);
    const first = await fetch(input, init);
    const reader = first.body?.getReader();
    const hello = await reader?.read();
    await reader?.cancel();
    await viewer.upload(await pngOf());
    return new Response(hello?.value, { headers: first.headers });
  };
  const options = { url: viewer.url, secret: SECRET, project: viewer.project, eventLimits: QUICK };
  const access = createHttpAccess({ ...options, fetch: breaking });
  const next = await access.next(AbortSignal.timeout(30_000));
  assert.deepEqual([next.id, opened], [viewer.pastes.newest()?.id, 2]);
});

test("a wrong secret or a missing viewer fails at once", async (t) => {
  const viewer = await startViewer(t);
  const options = { url: viewer.url, secret: "x", project: viewer.project, fetch };
  await assert.rejects(createHttpAccess(options).list(1), { code: "page-token-wrong", message: /been restarted/ });
  await assert.rejects(createHttpAccess(options).next(AbortSignal.timeout(30_000)), { code: "page-token-wrong" });
  const away = createHttpAccess({ ...options, url: "http://127.0.0.1:1" });
  await assert.rejects(away.list(1), { code: "not-ready", message: /is not responding at http:\/\/127\.0\.0\.1:1/ });
  await assert.rejects(away.next(AbortSignal.timeout(30_000)), { code: "not-ready" });
});

/** A server that is not a viewer. */
async function serve(t: TestContext, answer: (response: ServerResponse, path: string) => void) {
  const server = createServer((request, response) => answer(response, request.url ?? "")).listen(0, "127.0.0.1");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return createHttpAccess({ url, secret: SECRET, project: "/p", fetch, eventLimits: { ...QUICK, tries: 3 } });
}

test("an error that is not a problem is described by its status; the secret is not sent elsewhere", async (t) => {
  const broken = await serve(t, (response) => response.writeHead(502).end("<html>"));
  await assert.rejects(broken.list(1), { code: "internal-error", message: "The viewer answered with status 502." });
  const asked: string[] = [];
  const leading = await serve(t, (response, path) => {
    asked.push(path);
    response.writeHead(302, { location: "/elsewhere" }).end();
  });
  await assert.rejects(leading.list(1), { code: "not-ready" });
  assert.deepEqual(asked, [`${PAGE_PATH}/list?limit=1`]);
});

test("gives up on a viewer that stays away", async (t) => {
  let opened = 0;
  const access = await serve(t, (response) => {
    opened += 1;
    if (opened > 1) response.destroy();
    else response.writeHead(200).end('event: hello\ndata: {"newest":null}\n\n');
  });
  await assert.rejects(access.next(AbortSignal.timeout(30_000)), { code: "not-ready" });
  assert.equal(opened, 4);
});

test("an endless answer is cut off", async (t) => {
  const access = await serve(t, (response) => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024, 32)));
    };
    response.on("drain", more);
    more();
  });
  await assert.rejects(access.list(1), { code: "payload-too-large" });
});

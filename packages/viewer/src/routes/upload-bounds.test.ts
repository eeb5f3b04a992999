import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { PAGE_PATH, VIEWER_LIMITS } from "@backplane/contract/viewer";
import { trials } from "../../../../scripts/testing/long.ts";
import { type Answer, codeOf, formOf, pngOf, startViewer, type ViewerUnderTest } from "./viewer-under-test.suite.ts";

const MEGABYTE = 1024 * 1024;
/** Small, because the sender is in the same process and its memory is counted, too. */
const PIECE_BYTES = 64 * 1024;

/** Sends a body in pieces as long as the other end accepts them. */
async function sendPieces(viewer: ViewerUnderTest, headers: Record<string, string>, megabytes: number, head?: Buffer) {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const all = { ...viewer.page(), "content-type": "image/png", ...headers };
  let isAnswered = false;
  const request = viewer.open({ path: PAGE_PATH, method: "POST", headers: all }, resolve, (error) => {
    if (!isAnswered) reject(error);
  });
  request.once("response", () => {
    isAnswered = true;
  });
  request.setMaxListeners(0);
  if (head) request.write(head);
  const piece = Buffer.alloc(PIECE_BYTES, 1);
  for (let sent = 0; sent < megabytes * MEGABYTE && !request.destroyed; sent += PIECE_BYTES) {
    if (!request.write(piece)) await Promise.race([once(request, "drain"), once(request, "close")]).catch(() => {});
  }
  request.end();
  return promise;
}

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await sleep(20);
}

test("32 MB: a body of 100 MB is refused with 413, by its length at once, and while it streams; memory stays bounded", async (t) => {
  const viewer = await startViewer(t);
  await viewer.upload(await pngOf());
  // What a process needs once: buffers of sockets that are not collected yet.
  await sendPieces(viewer, { "transfer-encoding": "chunked" }, 20);
  const beforeBytes = process.memoryUsage.rss();
  let mostBytes = beforeBytes;
  const watch = setInterval(() => {
    mostBytes = Math.max(mostBytes, process.memoryUsage.rss());
  }, 5);
  t.after(() => clearInterval(watch));

  const known = await sendPieces(viewer, { "content-length": String(100 * MEGABYTE) }, 100);
  assert.deepEqual(codeOf(known), [413, "payload-too-large"]);
  const chunked = await sendPieces(viewer, { "transfer-encoding": "chunked" }, 100);
  assert.deepEqual(codeOf(chunked), [413, "payload-too-large"]);
  const { body, type } = formOf([{ name: "image", file: "a.png", value: "" }]);
  const head = body.subarray(0, body.indexOf("\r\n\r\n") + 4);
  const form = await sendPieces(viewer, { "transfer-encoding": "chunked", "content-type": type }, 100, head);
  assert.deepEqual(codeOf(form), [413, "payload-too-large"]);

  assert.ok(mostBytes - beforeBytes < 80 * MEGABYTE, `${Math.round((mostBytes - beforeBytes) / MEGABYTE)} MB more`);
  assert.deepEqual(await viewer.incoming(), []);
  assert.equal((await viewer.upload(await pngOf())).status, 201);
});

test("the length alone is enough: 413 before a byte of the body was sent", async (t) => {
  const viewer = await startViewer(t);
  const socket = connect(viewer.port, "127.0.0.1");
  t.after(() => socket.destroy());
  socket.write(
    `POST ${PAGE_PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/png\r\n` +
      `X-Viewer-Token: ${viewer.tokens.make()}\r\nContent-Length: ${VIEWER_LIMITS.maxUploadBytes + 1}\r\n\r\n`,
  );
  const [answer] = await once(socket.setEncoding("utf8"), "data");
  assert.match(answer, /^HTTP\/1\.1 413 /);
});

test("Expect: 100-continue is answered with 100", async (t) => {
  const viewer = await startViewer(t);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const body = await pngOf();
  const headers = { ...viewer.page(), "content-type": "image/png", "content-length": String(body.length) };
  const request = viewer.open(
    { path: PAGE_PATH, method: "POST", headers: { ...headers, expect: "100-continue" } },
    resolve,
    reject,
  );
  request.flushHeaders();
  await once(request, "continue");
  request.end(body);
  assert.equal((await promise).status, 201);
});

test("a sender that disconnects in the middle leaves no files, and frees its place", async (t) => {
  const viewer = await startViewer(t, { limits: { maxUploadsUnderWay: 1 } });
  const { body: form, type } = formOf([{ name: "image", file: "a.png", value: Buffer.alloc(10_000) }]);
  for (const [contentType, start] of [
    ["image/png", Buffer.alloc(5_000)],
    [type, form.subarray(0, 5_000)],
  ] as const) {
    const headers = { ...viewer.page(), "content-type": contentType, "content-length": "100000" };
    const request = viewer.open(
      { path: PAGE_PATH, method: "POST", headers },
      () => {},
      () => {},
    );
    request.write(start);
    await until(async () => (await viewer.incoming()).length === 1);
    assert.deepEqual(codeOf(await viewer.upload(await pngOf())), [429, "too-many-requests"]);
    request.destroy();
    await until(async () => (await viewer.incoming()).length === 0);
  }
  await until(async () => (await viewer.upload(await pngOf())).status === 201);
});

test("an upload that stalls or takes too long is cut off: 408", async (t) => {
  for (const limits of [{ uploadIdleMs: 300 }, { uploadIdleMs: 60_000, uploadTimeoutMs: 600 }]) {
    const viewer = await startViewer(t, { limits, timeoutCheckMs: 50 });
    const socket = connect(viewer.port, "127.0.0.1");
    socket.write(
      `POST ${PAGE_PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/png\r\n` +
        `X-Viewer-Token: ${viewer.tokens.make()}\r\nContent-Length: 1000\r\n\r\nabc`,
    );
    const drip = setInterval(() => socket.write("x"), limits.uploadIdleMs === 300 ? 60_000 : 50);
    t.after(() => clearInterval(drip));
    const [answer] = await once(
      socket.setEncoding("utf8").on("error", () => {}),
      "data",
    );
    clearInterval(drip);
    assert.match(answer, /^HTTP\/1\.1 408 /);
    socket.destroy();
    await until(async () => (await viewer.incoming()).length === 0);
  }
});

const UPLOADS = trials(200);

test(`${UPLOADS} uploads at once: each is saved, or asked to try again later and then saved`, async (t) => {
  const viewer = await startViewer(t, { limits: { maxUploadsUnderWay: UPLOADS / 4 } });
  const image = await pngOf();
  let refused = 0;
  async function saveOne(): Promise<void> {
    for (;;) {
      const answer = await viewer.upload(image);
      if (answer.status === 201) return;
      assert.deepEqual([...codeOf(answer), answer.headers["retry-after"]], [429, "too-many-requests", "1"]);
      refused += 1;
      await sleep(200);
    }
  }
  await Promise.all(Array.from({ length: UPLOADS }, saveOne));
  assert.ok(refused > 0);
  const names = await viewer.files();
  assert.equal(names.length, 2 * UPLOADS);
  assert.equal(viewer.waiting.length, UPLOADS);
  assert.deepEqual(await viewer.incoming(), []);
});

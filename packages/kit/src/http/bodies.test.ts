import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { Problem } from "../problems.ts";
import { createApp } from "./app.ts";
import { allowSlowBody, type BodyPace, GatheringRequest, readWhole } from "./bodies.ts";

const LONG_MS = 600_000;
const JSON_BYTES = 1_000;

async function open(t: TestContext, requestTimeoutMs: number, pace?: BodyPace, lingerMs = 100) {
  const app = await createApp({
    log: createLog({ process: "test", level: "silent", destination: { write: () => {} } }),
    metrics: createMetrics("test"),
    now: () => 0,
    readiness: { checks: {}, isDraining: () => false },
    trustProxy: [],
    overHttps: false,
    limits: { requestTimeoutMs, headersTimeoutMs: LONG_MS, lingerMs, timeoutCheckMs: 10 },
  });
  app.addContentTypeParser("*", (_request, _body, done) => done(null));
  const received = Promise.withResolvers<void>();
  app.post("/bodies", async (request) => {
    if (pace) allowSlowBody(request.raw, pace);
    request.raw.once("data", () => received.resolve());
    return { text: await text(request.raw) };
  });
  app.post("/pieces", async (request) => {
    const pieces: Buffer[] = await Array.fromAsync(request.raw);
    return { pieces: pieces.length, bytes: Buffer.concat(pieces).length };
  });
  app.post("/pauses", async (request) => {
    let bytes = 0;
    for await (const piece of request.raw) {
      bytes += (piece as Buffer).length;
      await setImmediate();
    }
    return { bytes };
  });
  app.post("/json", { bodyLimit: JSON_BYTES }, async ({ body }) => ({ body }));
  app.post("/json/later", { bodyLimit: JSON_BYTES, onRequest: () => setImmediate() }, async ({ body }) => ({ body }));
  app.post("/refused", async () => {
    throw new Problem("not-signed-in");
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => app.close());
  const socket = connect({ port: (app.server.address() as AddressInfo).port, host: "127.0.0.1" });
  t.after(() => socket.destroy());
  socket.setEncoding("utf8");
  const send = (path: string, length: number) =>
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/x\r\nContent-Length: ${length}\r\n\r\n`);
  return { socket, send, received: received.promise };
}

test("a body slower than the limit is cut off with 408", async (t) => {
  const { socket, send } = await open(t, 100);
  send("/bodies", 10);
  const pieces = setInterval(() => socket.write("x"), 40);
  // A write after the end would be an error of the socket.
  socket.once("data", () => clearInterval(pieces));
  t.after(() => clearInterval(pieces));
  assert.match(await text(socket), /^HTTP\/1\.1 408 [\s\S]*"code":"request-timeout"/);
});

test("a body is cut off in time also after an expectation that nobody knows", async (t) => {
  const { socket } = await open(t, 100);
  socket.write(
    "POST /bodies HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nContent-Type: text/x\r\nContent-Length: 9\r\n\r\n",
  );
  assert.match(await text(socket), /^HTTP\/1\.1 408 /);
});

test("a body of very many tiny chunks arrives whole, in few pieces", async (t) => {
  const { socket } = await open(t, LONG_MS);
  const chunks = 20_000;
  const head = "POST /pieces HTTP/1.1\r\nHost: x\r\nContent-Type: text/x\r\nTransfer-Encoding: chunked\r\n";
  socket.write(`${head}Connection: close\r\n\r\n${"1\r\nx\r\n".repeat(chunks)}0\r\n\r\n`);
  const [, body = "{}"] = (await text(socket)).split("\r\n\r\n");
  const { bytes, pieces } = JSON.parse(body) as { bytes: number; pieces: number };
  assert.equal(bytes, chunks);
  assert.ok(pieces < chunks / 50, `${pieces} pieces`);
});

test("a body whose bytes come one at a time is kept in little more than its bytes", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const bytes = 40_000;
  for (const isUnderWay of [false, true]) {
    const request = new GatheringRequest(new Socket());
    const { promise, resolve } = Promise.withResolvers<Buffer>();
    if (isUnderWay) request.push(Buffer.from("x"));
    readWhole(request, bytes + 1, (_error, body) => resolve(body));
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let sent = 0; sent < bytes; sent += 1) {
      request.push(Buffer.from("x"));
      await setImmediate();
    }
    collect();
    const kept = process.memoryUsage().heapUsed - before;
    assert.ok(kept < 25 * bytes, `${kept} bytes`);
    request.push(null);
    assert.equal((await promise).length, bytes + Number(isUnderWay));
  }
});

test("tiny chunks that nobody reads do not pile up, however slowly they come", async () => {
  const request = new GatheringRequest(new Socket());
  let bytes = 0;
  for (let mayGoOn = true; mayGoOn && bytes < 1_000_000; bytes += 200) {
    mayGoOn = request.push(Buffer.alloc(200));
    await setImmediate();
  }
  assert.ok(bytes < 2 * request.readableHighWaterMark, `${bytes} bytes`);
  request.push(null);
  const pieces: Buffer[] = await Array.fromAsync(request);
  assert.equal(Buffer.concat(pieces).length, bytes);
});

test("a body whose reader stops for a while arrives whole", async (t) => {
  const { socket } = await open(t, LONG_MS);
  const head = "POST /pauses HTTP/1.1\r\nHost: x\r\nContent-Type: text/x\r\nTransfer-Encoding: chunked\r\n";
  socket.write(`${head}Connection: close\r\n\r\n`);
  const chunks = 3_000;
  const sending = (async () => {
    for (let sent = 0; sent < chunks; sent += 50) {
      socket.write(`c8\r\n${"x".repeat(200)}\r\n`.repeat(50));
      await setImmediate();
    }
    socket.write("0\r\n\r\n");
  })();
  assert.match(await text(socket), new RegExp(`{"bytes":${200 * chunks}}$`));
  await sending;
});

test("a body that its route allows to be slow arrives, as long as its bytes do", async (t) => {
  const { socket, send, received } = await open(t, 20, { idleMs: LONG_MS, withinMs: LONG_MS });
  send("/bodies", 10);
  socket.write("01234");
  await received;
  // Several checks, each later than the server's own limit.
  await new Promise((resolve) => setTimeout(resolve, 100));
  socket.write("56789");
  const [answer] = await once(socket, "data");
  assert.match(answer, /^HTTP\/1\.1 200 [\s\S]*"0123456789"/);
});

test("a slow body that stops arriving is cut off, and so is one that never ends", async (t) => {
  const silent = await open(t, LONG_MS, { idleMs: 50, withinMs: LONG_MS });
  silent.send("/bodies", 10);
  silent.socket.write("01234");
  assert.match(await text(silent.socket), /^HTTP\/1\.1 408 /);
  const dripping = await open(t, LONG_MS, { idleMs: LONG_MS, withinMs: 100 });
  dripping.send("/bodies", 10_000);
  const drops = setInterval(() => dripping.socket.write("x"), 5);
  dripping.socket.once("data", () => clearInterval(drops));
  t.after(() => clearInterval(drops));
  assert.match(await text(dripping.socket), /^HTTP\/1\.1 408 /);
});

test("a client that sends its whole body before it reads gets an early answer, also if the connection ends with it", async (t) => {
  const { socket } = await open(t, LONG_MS, undefined, LONG_MS);
  const body = Buffer.alloc(20 * 1024 * 1024);
  const head = "POST /refused HTTP/1.1\r\nHost: x\r\nContent-Type: text/x\r\nConnection: close\r\n";
  socket.write(`${head}Content-Length: ${body.length}\r\n\r\n`);
  await new Promise<void>((resolve, reject) => socket.write(body, (error) => (error ? reject(error) : resolve())));
  assert.match(await text(socket), /^HTTP\/1\.1 401 [\s\S]*"code":"not-signed-in"/);
});

test("a client that keeps sending after the answer can read it, and is cut off a little later", async (t) => {
  const { socket, send } = await open(t, LONG_MS);
  socket.on("error", () => {});
  send("/refused", 1_000_000);
  const pieces = setInterval(() => socket.write("x"), 20);
  t.after(() => clearInterval(pieces));
  const [answer] = await once(socket, "data");
  assert.match(answer, /^HTTP\/1\.1 401 /);
  await new Promise((resolve) => socket.once("close", resolve));
});

const list = (numbers: number): string => JSON.stringify(Array.from({ length: numbers }, (_, index) => index % 10));
const chunked = (body: string): string =>
  `Transfer-Encoding: chunked\r\n\r\n${body.replace(/./g, "1\r\n$&\r\n")}0\r\n\r\n`;

// With a hook that waits, the body arrives before anybody reads it.
for (const path of ["/json", "/json/later"]) {
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n`;

  test(`${path}: JSON arrives whole, also in very many tiny chunks, and twice on one connection`, async (t) => {
    const { socket } = await open(t, LONG_MS);
    socket.write(head.replace("Connection: close\r\n", "") + chunked(list(400)));
    assert.match(
      String((await once(socket, "data"))[0]),
      new RegExp(`"body":${list(400).replaceAll(/[[\]]/g, "\\$&")}`),
    );
    const body = '{"text":"größer"}';
    socket.write(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`);
    for (const byte of Buffer.from(body)) {
      socket.write(Buffer.of(byte));
      await setImmediate();
    }
    assert.match(await text(socket), /^HTTP\/1\.1 200 [\s\S]*"body":{"text":"größer"}/);
  });

  test(`${path}: JSON that is larger than its route allows is refused, whether its length is known or not`, async (t) => {
    for (const rest of [`Content-Length: ${JSON_BYTES + 1}\r\n\r\n`, chunked(list(JSON_BYTES))]) {
      const { socket } = await open(t, LONG_MS);
      socket.write(head + rest);
      assert.match(await text(socket), /^HTTP\/1\.1 413 [\s\S]*"code":"payload-too-large"/);
    }
  });

  test(`${path}: JSON that is too slow is cut off, and so is a client that leaves in the middle of it`, async (t) => {
    const slow = await open(t, 100);
    slow.socket.write(`${head}Content-Length: 10\r\n\r\n[1,`);
    assert.match(await text(slow.socket), /^HTTP\/1\.1 408 /);
    const gone = await open(t, LONG_MS);
    gone.socket.write(`${head}Content-Length: 10\r\n\r\n[1,`);
    gone.socket.destroySoon();
    await once(gone.socket, "close");
  });
}

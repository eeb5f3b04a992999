import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { type TestContext, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { fastify } from "fastify";
import { createApp } from "./http/app.ts";
import { useProblems } from "./http/errors.ts";
import { createLog } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { createEventStreams, type EventStream, type EventStreamLimits, encodeEvent } from "./sse.ts";

async function serve(t: TestContext, limits: Partial<EventStreamLimits> = {}) {
  const streams = createEventStreams(limits);
  const opened: EventStream[] = [];
  const app = fastify();
  useProblems(app);
  app.get("/events", async (_request, reply) => {
    opened.push(streams.open(reply.header("x-request-id", "7")));
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => {
    streams.close();
    app.server.closeAllConnections();
    return app.close();
  });
  return { streams, opened, port: (app.server.address() as AddressInfo).port };
}

async function get(port: number): Promise<IncomingMessage> {
  const call = request({ host: "127.0.0.1", port, path: "/events", headers: { accept: "text/event-stream" } }).end();
  const [response] = (await once(call, "response")) as [IncomingMessage];
  return response.setEncoding("utf8");
}

/** Reads until the text holds what is looked for. What follows is left to the next call. */
async function readUntil(response: IncomingMessage, wanted: string): Promise<string> {
  let text = "";
  for await (const chunk of response.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.includes(wanted)) break;
  }
  return text;
}

test("a stream says how to reconnect and carries the headers that keep proxies from buffering it", async (t) => {
  const { port, opened } = await serve(t);
  const response = await get(port);
  assert.equal(response.headers["content-type"], "text/event-stream; charset=utf-8");
  assert.equal(response.headers["cache-control"], "no-store, no-transform");
  assert.equal(response.headers["x-accel-buffering"], "no");
  assert.equal(response.headers["x-request-id"], "7");
  opened[0]?.send("authenticated", '{"a":1}');
  opened[0]?.send(undefined, "", "7");
  assert.equal(
    await readUntil(response, "id: 7\ndata:\n\n"),
    ': ping\nretry: 2000\nevent: authenticated\ndata: {"a":1}\n\nid: 7\ndata:\n\n',
  );
});

/** Counts events as httpx-sse does: every blank line is one after any field, or once an id was given. */
function strictEvents(text: string): number {
  let [hasFields, hasId, events] = [false, false, 0];
  for (const line of text.split("\n").slice(0, -1)) {
    if (line === "") {
      if (hasFields || hasId) events += 1;
      hasFields = false;
    } else if (!line.startsWith(":")) {
      hasFields = true;
      hasId ||= line.startsWith("id:");
    }
  }
  return events;
}

test("an idle stream is pinged, and strict readers make no event of pings and of retry", async (t) => {
  const { port, opened } = await serve(t, { pingMs: 20 });
  const response = await get(port);
  let text = await readUntil(response, ": ping\n: ping\n: ping\n");
  assert.equal(strictEvents(text), 0);
  opened[0]?.send("authenticated", "{}", "1");
  text += await readUntil(response, "data: {}\n\n");
  text += await readUntil(response, ": ping\n: ping\n");
  assert.match(text, /\nretry: 2000\nevent: authenticated\n/);
  assert.equal(strictEvents(text), 1);
});

test("an event without data still has a data line, and many lines stay one event", () => {
  assert.equal(encodeEvent("timeout", ""), "event: timeout\ndata:\n\n");
  assert.equal(encodeEvent(undefined, "a\nb\r\nc"), "data: a\ndata: b\ndata: c\n\n");
  assert.equal(encodeEvent("named", "a", "7"), "event: named\nid: 7\ndata: a\n\n");
  assert.throws(() => encodeEvent("a\nb", ""), RangeError);
  assert.throws(() => encodeEvent("a", "", "1\n2"), RangeError);
});

test("a stream whose reader left is forgotten", async (t) => {
  const { port, streams, opened } = await serve(t);
  const response = await get(port);
  assert.equal(streams.count(), 1);
  const closed = new Promise<void>((resolve) => opened[0]?.onClose(resolve));
  response.destroy();
  await closed;
  assert.equal(streams.count(), 0);
  opened[0]?.send("late", "ignored");
});

test("a stream that is requested while its connection waits for another answer is refused", async (t) => {
  const streams = createEventStreams();
  const app = fastify();
  useProblems(app);
  const answerFirst = Promise.withResolvers<string>();
  app.get("/first", () => answerFirst.promise);
  app.get("/events", async (_request, reply) => {
    answerFirst.resolve("first");
    streams.open(reply);
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => app.close());
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1").setEncoding("utf8");
  t.after(() => socket.destroy());
  socket.write(["/first", "/events"].map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(""));
  let text = "";
  while (!text.includes("}")) text += (await once(socket, "data"))[0];
  assert.deepEqual(text.match(/HTTP\/1.1 \d+/g), ["HTTP/1.1 200", "HTTP/1.1 429"]);
  assert.equal(streams.count(), 0);
});

test("a stream ends completely, in any language, and its connection with it", async (t) => {
  const { port, opened, streams } = await serve(t);
  const response = await get(port);
  assert.equal(response.headers.connection, "close");
  opened[0]?.send(undefined, "żółw");
  opened[0]?.end();
  opened[0]?.send(undefined, "too late");
  assert.equal((await response.toArray()).join(""), ": ping\nretry: 2000\ndata: żółw\n\n");
  assert.equal(response.complete, true);
  assert.equal(streams.count(), 0);
});

test("a client of HTTP/1.0, such as nginx by default, reads a stream until the connection ends", async (t) => {
  const { port, opened } = await serve(t);
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  socket.write("GET /events HTTP/1.0\r\n\r\n");
  await once(socket, "readable");
  opened[0]?.send(undefined, "a");
  opened[0]?.end();
  const [head, body] = (await socket.toArray()).join("").split("\r\n\r\n");
  assert.doesNotMatch(head ?? "", /transfer-encoding/i);
  assert.equal(body, ": ping\nretry: 2000\ndata: a\n\n");
});

test("a client that left before the stream was opened is not kept", async (t) => {
  const streams = createEventStreams();
  const app = fastify();
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  app.get("/events", async (request, reply) => {
    if (!request.raw.socket.destroyed) await once(request.raw.socket, "close");
    streams.open(reply).onClose(resolve);
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => app.close());
  const call = request({ host: "127.0.0.1", port: (app.server.address() as AddressInfo).port, path: "/events" }).end();
  call.on("error", () => {});
  await once(call, "socket");
  await once(app.server, "request");
  call.destroy();
  await closed;
  assert.equal(streams.count(), 0);
});

test("a reader that never reads is cut off at the limit and others continue", async (t) => {
  const { port, streams, opened } = await serve(t, { maxUnsentBytes: 64 * 1024 });
  const stuck = connect(port, "127.0.0.1").pause();
  stuck.write("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  while (opened.length < 1) await new Promise(setImmediate);
  const reader = await get(port);
  let sent = 0;
  while (streams.count() === 2 && sent < 64 * 1024 * 1024) {
    opened[0]?.send("fill", "x".repeat(16 * 1024));
    sent += 16 * 1024;
    await new Promise(setImmediate);
  }
  assert.equal(streams.count(), 1);
  opened[1]?.send("still", "here");
  assert.match(await readUntil(reader, "here"), /event: still/);
  stuck.destroy();
});

test("one stream more than the limit is refused with 429", async (t) => {
  const { port } = await serve(t, { maxStreams: 1 });
  await get(port);
  assert.equal((await get(port)).statusCode, 429);
});

test("closing ends every stream", async (t) => {
  const { port, streams } = await serve(t);
  const response = await get(port);
  streams.close();
  await once(response.resume(), "end");
});

test("a stream that is opened after that ends at once", async (t) => {
  const { port, streams } = await serve(t);
  streams.close();
  assert.deepEqual(await (await get(port)).toArray(), [": ping\n"]);
});

test("a reader that does not take the rest of its stream by then is cut off", async (t) => {
  const { port, streams, opened } = await serve(t, { maxUnsentBytes: 64 * 1024 * 1024, endWithinMs: 20 });
  const stuck = connect(port, "127.0.0.1").pause();
  t.after(() => stuck.destroy());
  stuck.write("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  while (opened.length < 1) await new Promise(setImmediate);
  const closed = new Promise<void>((resolve) => opened[0]?.onClose(resolve));
  opened[0]?.send("fill", "x".repeat(32 * 1024 * 1024));
  opened[0]?.end();
  streams.close();
  assert.equal(streams.count(), 0);
  await closed;
});

test("a reader that does not take the end of its stream in time is cut off, and those in time read all of it", async (t) => {
  const { port, opened } = await serve(t, { maxUnsentBytes: 64 * 1024 * 1024, pingMs: 20, takeEndWithinMs: 40 });
  const stuck = connect(port, "127.0.0.1").pause();
  t.after(() => stuck.destroy());
  stuck.write("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  while (opened.length < 1) await new Promise(setImmediate);
  const closed = new Promise<void>((resolve) => opened[0]?.onClose(resolve));
  opened[0]?.send("fill", "x".repeat(32 * 1024 * 1024));
  opened[0]?.end();
  const reader = await get(port);
  opened[1]?.send("last", "word");
  opened[1]?.end();
  assert.match(await readUntil(reader, "word"), /event: last/);
  await closed;
});

test("a stream ends with its connection, though its request announced a body that never comes", async (t) => {
  const streams = createEventStreams();
  const app = await createApp({
    log: createLog({ process: "test", level: "silent", destination: { write() {} } }),
    metrics: createMetrics("test"),
    ...{ now: Date.now, readiness: { checks: {}, isDraining: () => false }, trustProxy: [], overHttps: true },
  });
  const opened: EventStream[] = [];
  app.get("/events", async (_request, reply) => void opened.push(streams.open(reply)));
  app.get("/ended", async (_request, reply) => {
    opened.push(streams.open(reply));
    opened.at(-1)?.end();
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => app.close());
  for (const path of ["/events", "/ended"]) {
    const { port } = app.server.address() as AddressInfo;
    const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true }).resume();
    client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n`);
    while (opened.length === 0) await new Promise(setImmediate);
    const [stream] = opened.splice(0);
    const closed = new Promise<void>((resolve) => stream?.onClose(resolve));
    await new Promise(setImmediate);
    stream?.end();
    await closed;
    client.destroy();
  }
});

test("a stream counts as answered once it is open, and keeps nothing of its request", async (t) => {
  const streams = createEventStreams();
  const counted: string[] = [];
  const app = await createApp({
    log: createLog({ process: "test", level: "silent", destination: { write() {} } }),
    metrics: { ...createMetrics("test"), observeRequest: (labels) => counted.push(`${labels.method} ${labels.route}`) },
    now: Date.now,
    readiness: { checks: {}, isDraining: () => false },
    trustProxy: [],
    overHttps: true,
  });
  const answered = Promise.withResolvers<number>();
  let kept: WeakRef<object> | undefined;
  app.addHook("onResponse", async (_request, reply) => answered.resolve(reply.statusCode));
  app.get("/events", async (incoming, reply) => {
    kept = new WeakRef(incoming);
    streams.open(reply);
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => {
    streams.close();
    app.server.closeAllConnections();
    return app.close();
  });
  const response = await get((app.server.address() as AddressInfo).port);
  assert.equal(await answered.promise, 200);
  assert.equal(streams.count(), 1);
  assert.deepEqual(counted, ["GET /events"]);
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let tries = 0; kept?.deref() !== undefined && tries < 100; tries += 1) {
    await new Promise(setImmediate);
    collect();
  }
  assert.equal(kept?.deref(), undefined);
  streams.close();
  await once(response.resume(), "end");
  await new Promise(setImmediate);
  assert.deepEqual(counted, ["GET /events"]);
});

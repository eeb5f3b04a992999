import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { WebSocket } from "ws";
import { until } from "../../../../scripts/testing/until.ts";
import { encodeText } from "./testing/client-frames.ts";
import { refusalOf, serveEcho } from "./testing/echo-server.ts";
import { connectRaw } from "./testing/raw-client.ts";

test("a message reaches the area with the connection's data and the answer comes back", async (t) => {
  const { dial } = await serveEcho(t);
  const socket = dial("/ws", { "x-name": "ada" });
  await once(socket, "open");
  for (const text of ["hello", "", "naïve 🛰", "x".repeat(8_000), "é".repeat(4_000)]) {
    socket.send(text);
    assert.equal(String((await once(socket, "message"))[0]), `ada said ${text}`);
  }
});

test("a message in the same packet as the handshake is read", async (t) => {
  const { port, seen } = await serveEcho(t);
  await connectRaw(port, Buffer.concat([encodeText("eager"), encodeText("very")]));
  await until("both were heard", () => seen.messages.length === 2);
  assert.deepEqual(seen.messages, ["eager", "very"]);
});

test("another path, and a request that the area refuses, get an HTTP answer instead of an upgrade", async (t) => {
  const { dial, seen } = await serveEcho(t);
  assert.equal(await refusalOf(dial("/elsewhere")), 404);
  assert.equal(await refusalOf(dial("/", { origin: "https://evil.example" })), 404);
  assert.equal(seen.faults.length, 0);
});

test("when an area fails to accept, the error is reported and the client gets a 500", async (t) => {
  const { dial, seen, sockets } = await serveEcho(t);
  assert.equal(await refusalOf(dial("/", { origin: "https://broken.example" })), 500);
  assert.equal(seen.faults.length, 1);
  assert.equal(sockets.connections(), 0);
});

test("a handler that throws costs its own connection, with 1011, and nothing else", async (t) => {
  const { dial, seen, sockets } = await serveEcho(t);
  const [unlucky, other] = [dial(), dial()];
  await Promise.all([once(unlucky, "open"), once(other, "open")]);
  unlucky.send("throw");
  assert.equal((await once(unlucky, "close"))[0], 1011);
  assert.equal(seen.faults.length, 1);
  await until("only the other is left", () => sockets.connections() === 1);
});

test("a frame over the limit closes that connection with 1009 and no other", async (t) => {
  const { dial, sockets } = await serveEcho(t, { limits: { maxPayloadBytes: 100 } });
  const [greedy, modest] = [dial(), dial()];
  await Promise.all([once(greedy, "open"), once(modest, "open")]);
  greedy.send("x".repeat(101));
  assert.equal((await once(greedy, "close"))[0], 1009);
  modest.send("x".repeat(100));
  await once(modest, "message");
  assert.equal(sockets.connections(), 1);
});

test("a binary frame closes with 1003", async (t) => {
  const { dial } = await serveEcho(t);
  const socket = dial();
  await once(socket, "open");
  socket.send(Buffer.from([1, 2, 3]));
  assert.equal((await once(socket, "close"))[0], 1003);
});

test("an area that handles refused messages keeps the connection, up to what is skipped", async (t) => {
  const { dial } = await serveEcho(t, {
    limits: { maxPayloadBytes: 100, maxSkippedBytes: 100_000 },
    onRefused: (connection, why) => connection.send(`refused: ${why}`),
  });
  const socket = dial();
  await once(socket, "open");
  const answers: string[] = [];
  socket.on("message", (data) => answers.push(String(data)));
  socket.send("x".repeat(100_000));
  socket.send(Buffer.from([1, 2, 3]));
  socket.send("small");
  await until("all were answered", () => answers.length === 3);
  assert.deepEqual(answers, ["refused: too-large", "refused: binary", "anonymous said small"]);
  socket.send("x".repeat(100_001));
  assert.equal((await once(socket, "close"))[0], 1009);
});

test("one connection more than the limit per address is refused with 429, and one that ends makes room", async (t) => {
  const { dial, seen } = await serveEcho(t, { limits: { maxPerAddress: 2 } });
  const [first, second] = [dial(), dial()];
  await Promise.all([once(first, "open"), once(second, "open")]);
  assert.equal(await refusalOf(dial()), 429);
  first.close();
  await until("one has closed", () => seen.closed === 1);
  await once(dial(), "open");
});

test("the limit per address applies only to addresses that count", async (t) => {
  const { dial } = await serveEcho(t, {
    limits: { maxPerAddress: 1 },
    addressOf: (request) => String(request.headers["x-name"]),
    countsForAddress: (address) => address !== "proxy",
  });
  for (const name of ["ada", "proxy", "proxy", "grace"]) await once(dial("/", { "x-name": name }), "open");
  assert.equal(await refusalOf(dial("/", { "x-name": "ada" })), 429);
});

test("all addresses of a /64 network of IPv6 count as one", async (t) => {
  const { dial } = await serveEcho(t, {
    limits: { maxPerAddress: 2 },
    addressOf: (request) => String(request.headers["x-name"]),
  });
  for (const name of ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"])
    await once(dial("/", { "x-name": name }), "open");
  assert.equal(await refusalOf(dial("/", { "x-name": "2001:db8::3" })), 429);
});

test("one connection more than the limit of the process is refused with 503", async (t) => {
  const { dial } = await serveEcho(t, { limits: { maxConnections: 1 } });
  await once(dial(), "open");
  assert.equal(await refusalOf(dial()), 503);
});

test("a sweep sees every connection, with the time, and may close it", async (t) => {
  const seenAtMs = new Map<string, number>();
  const { dial, sockets } = await serveEcho(t, {
    limits: { sweepMs: 10 },
    now: () => 1_700_000_000_000,
    onSweep: (connection, nowMs) => {
      seenAtMs.set(connection.data.name, nowMs);
      if (connection.data.name === "idle") connection.close(4_008, "idle");
    },
  });
  const [idle, busy] = [dial("/", { "x-name": "idle" }), dial("/", { "x-name": "busy" })];
  const closed = once(idle, "close");
  await Promise.all([once(idle, "open"), once(busy, "open")]);
  assert.equal((await closed)[0], 4_008);
  await until("the other was seen", () => seenAtMs.has("busy"));
  assert.deepEqual([...new Set(seenAtMs.values())], [1_700_000_000_000]);
  assert.equal(busy.readyState, WebSocket.OPEN);
  await until("the idle one is gone", () => sockets.connections() === 1);
});

test("a sweep that throws closes the connection it was called for", async (t) => {
  const { dial, seen } = await serveEcho(t, {
    limits: { sweepMs: 10 },
    onSweep: () => {
      throw new Error("swept away");
    },
  });
  assert.equal((await once(dial(), "close"))[0], 1011);
  assert.equal(seen.faults.length, 1);
});

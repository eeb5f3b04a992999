import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { until } from "../../../../scripts/testing/until.ts";
import type { SocketLimits } from "./index.ts";
import { encodeClose, encodeFrame, encodeText, OPCODE } from "./testing/client-frames.ts";
import { refusalOf, serveEcho } from "./testing/echo-server.ts";
import { connectRaw, type RawClient } from "./testing/raw-client.ts";

const LONG_GRACE_MS = 60_000;

async function meet(t: TestContext, limits: Partial<SocketLimits> = { closeGraceMs: LONG_GRACE_MS }) {
  const served = await serveEcho(t, { limits });
  const client = await connectRaw(served.port);
  t.after(() => client.socket.destroy());
  return { ...served, client };
}

async function closeCodeOf(client: RawClient): Promise<number | undefined> {
  await until("the server said goodbye", () => client.closeCode() !== undefined);
  return client.closeCode();
}

test("a close frame is answered with its own code, and the connection is closed", async (t) => {
  for (const [goodbye, code] of [
    [encodeClose(1000), 1000],
    [encodeClose(1001, "leaving"), 1001],
    [encodeClose(4_321, "own code"), 4_321],
    [encodeFrame({ opcode: OPCODE.close }), 1005],
  ] as const) {
    const { client, seen } = await meet(t);
    client.socket.write(Buffer.concat([encodeText("last words"), goodbye, encodeText("too late")]));
    await client.ended;
    assert.equal(client.closeCode(), code);
    assert.equal(client.frames()[0]?.payload.toString(), "anonymous said last words");
    assert.deepEqual(seen.messages, ["last words"]);
    await until("the area heard of it", () => seen.closed === 1);
  }
});

test("a peer that breaks the protocol gets the close code, although it keeps sending", async (t) => {
  const { client, seen } = await meet(t);
  client.socket.write(encodeFrame({ opcode: OPCODE.text, payload: "x", isMasked: false }));
  for (let i = 0; i < 100; i += 1) client.socket.write(encodeText("x".repeat(8_000)));
  assert.equal(await closeCodeOf(client), 1002);
  client.socket.end();
  await client.ended;
  await until("the area heard of it", () => seen.closed === 1);
  assert.deepEqual(seen.messages, []);
});

test("a peer that keeps sending after it broke the protocol is cut off at the deadline", async (t) => {
  const { client, seen, sockets } = await meet(t, { closeGraceMs: 50 });
  client.socket.write(encodeFrame({ opcode: 3 }));
  await client.ended;
  const sending = setInterval(() => client.socket.write(encodeText("more")), 1);
  t.after(() => clearInterval(sending));
  assert.equal(sockets.connections(), 1);
  await until("the area heard of its end", () => seen.closed === 1);
});

test("messages after our close frame are dropped, and the peer's close frame ends the connection", async (t) => {
  const { client, seen } = await meet(t);
  client.socket.write(Buffer.concat([encodeText("close"), encodeText("one more thing")]));
  assert.equal(await closeCodeOf(client), 4_000);
  client.socket.write(Buffer.concat([encodeText("and another"), encodeClose(4_000)]));
  await client.ended;
  assert.deepEqual(seen.messages, ["close"]);
  assert.equal(client.frames().length, 1);
});

test("a peer that never answers our close frame is cut off at the deadline", async (t) => {
  const { client, seen, sockets } = await meet(t, { closeGraceMs: 30 });
  client.socket.write(encodeText("close"));
  await client.ended;
  assert.equal(client.closeCode(), 4_000);
  await until("the area heard of it", () => seen.closed === 1);
  assert.equal(sockets.connections(), 0);
});

const DEATHS: [how: string, die: (client: RawClient) => void][] = [
  ["ends without a close frame", ({ socket }) => socket.end()],
  ["ends in the middle of a frame", ({ socket }) => socket.end(encodeText("half of it").subarray(0, 9))],
  ["ends in the middle of a header", ({ socket }) => socket.end(encodeText("half of it").subarray(0, 1))],
  ["resets", ({ socket }) => socket.resetAndDestroy()],
  [
    "resets in the middle of a frame",
    ({ socket }) => socket.write(Buffer.from([0x81]), () => socket.resetAndDestroy()),
  ],
  ["sends a close frame and resets", ({ socket }) => socket.write(encodeClose(1000), () => socket.resetAndDestroy())],
  ["sends two close frames", ({ socket }) => socket.write(Buffer.concat([encodeClose(1000), encodeClose(1001)]))],
  [
    "asks for a close frame and resets",
    ({ socket }) => socket.write(encodeText("close"), () => socket.resetAndDestroy()),
  ],
];

test("however a connection ends, the area is notified exactly once and cannot send any more", async (t) => {
  const { port, seen, sockets } = await serveEcho(t, { limits: { closeGraceMs: LONG_GRACE_MS } });
  for (const [how, die] of DEATHS) {
    const client = await connectRaw(port);
    client.socket.write(encodeText("here"));
    await until("it was heard", () => seen.connections.length > 0);
    const [connection] = seen.connections;
    const before = seen.closed;
    die(client);
    await until(`${how}: gone`, () => sockets.connections() === 0);
    assert.equal(seen.closed, before + 1, how);
    assert.equal(connection?.send("after"), false, how);
    connection?.close(1000, "after");
    seen.connections.length = 0;
  }
  await sockets.close();
  assert.equal(seen.closed, DEATHS.length);
  assert.deepEqual(seen.faults, []);
});

test("closing sends 1001 to every peer, waits for them, and cuts off those that do not answer", async (t) => {
  const { dial, sockets, client } = await meet(t, { closeGraceMs: 50 });
  const polite = dial();
  await once(polite, "open");
  const goodbye = once(polite, "close");
  await sockets.close();
  assert.equal((await goodbye)[0], 1001);
  assert.equal(client.closeCode(), 1001);
  assert.equal(sockets.connections(), 0);
  assert.equal(await refusalOf(dial()), 503);
});

test("closing sends the given code, and also ends peers that are half closed or do not read", async (t) => {
  const { port, seen, sockets } = await serveEcho(t, { limits: { closeGraceMs: 50, maxUnsentBytes: 100_000_000 } });
  const stuck = await connectRaw(port);
  stuck.socket.pause();
  stuck.socket.write(encodeText("hello"));
  await until("it was heard", () => seen.connections.length === 1);
  for (let i = 0; i < 400; i += 1) seen.connections[0]?.send("x".repeat(60_000));
  stuck.socket.end();
  const client = await connectRaw(port);
  await sockets.close(1012, "restarting");
  assert.equal(client.closeCode(), 1012);
  assert.equal(seen.closed, 2);
});

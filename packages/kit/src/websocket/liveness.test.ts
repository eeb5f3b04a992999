import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { WebSocket } from "ws";
import { until } from "../../../../scripts/testing/until.ts";
import { encodeFrame, encodeText, OPCODE } from "./testing/client-frames.ts";
import { serveEcho } from "./testing/echo-server.ts";
import { connectRaw, type RawClient } from "./testing/raw-client.ts";

const { ping, pong } = OPCODE;

function received(client: RawClient, wanted: number): string[] {
  return client
    .frames()
    .filter(({ opcode }) => opcode === wanted)
    .map(({ payload }) => payload.toString());
}

test("a peer that answers no ping is gone after the missed ones, one that answers stays", async (t) => {
  const { port, dial, sockets, seen } = await serveEcho(t, { limits: { heartbeatMs: 20, missedPings: 2 } });
  const lively = dial();
  await once(lively, "open");
  const mute = await connectRaw(port);
  assert.equal(sockets.connections(), 2);
  await until("one has closed", () => seen.closed === 1);
  await mute.ended;
  assert.equal(received(mute, ping).length, 2);
  assert.equal(lively.readyState, WebSocket.OPEN);
});

test("an empty pong counts as a pong", async (t) => {
  const { port, sockets } = await serveEcho(t, { limits: { heartbeatMs: 20, missedPings: 2 } });
  const client = await connectRaw(port);
  let answered = 0;
  await until("ten pings were answered", () => {
    for (; answered < received(client, ping).length; answered += 1) client.socket.write(encodeFrame({ opcode: pong }));
    return answered >= 10;
  });
  assert.equal(sockets.connections(), 1);
});

test("half a message keeps nobody alive", async (t) => {
  const { port, sockets } = await serveEcho(t, { limits: { heartbeatMs: 20, missedPings: 2 } });
  const client = await connectRaw(port);
  client.socket.write(encodeText("x".repeat(8_000)).subarray(0, 10));
  const trickle = setInterval(() => client.socket.write("x"), 2);
  t.after(() => clearInterval(trickle));
  await until("it is gone", () => sockets.connections() === 0);
});

test("a pong repeats the content of its ping", async (t) => {
  const { port } = await serveEcho(t);
  const client = await connectRaw(port);
  for (const payload of ["are you there?", "", "x".repeat(125)]) {
    const before = received(client, pong).length;
    client.socket.write(encodeFrame({ opcode: ping, payload }));
    await until("the pong came", () => received(client, pong).length > before);
    assert.equal(received(client, pong).at(-1), payload);
  }
});

test("of pings that arrive together only the last is answered, so that a flood costs little", async (t) => {
  const { port, seen } = await serveEcho(t);
  const client = await connectRaw(port);
  const flood = Array.from({ length: 5_000 }, (_, i) => encodeFrame({ opcode: ping, payload: String(i) }));
  client.socket.write(Buffer.concat([...flood, encodeText("done")]));
  await until("all was read", () => seen.messages.length === 1);
  await until("the last was answered", () => received(client, pong).at(-1) === "4999");
  assert.ok(received(client, pong).length < 100, `${received(client, pong).length} pongs`);
});

test("a peer that never reads is cut off at the limit", async (t) => {
  const { port, seen, sockets } = await serveEcho(t, { limits: { maxUnsentBytes: 64 * 1024 } });
  const stuck = await connectRaw(port);
  stuck.socket.pause();
  stuck.socket.write(encodeText("x"));
  await until("the area saw it", () => seen.connections.length === 1);
  const [connection] = seen.connections;
  let sent = 0;
  while (connection?.send("x".repeat(16 * 1024)) && sent < 10_000) {
    sent += 1;
    await new Promise(setImmediate);
  }
  assert.ok(sent < 10_000);
  await until("it is gone", () => sockets.connections() === 0);
  assert.equal(connection?.send("after"), false);
});

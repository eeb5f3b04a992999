import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import mqttPacket, { type Packet } from "mqtt-packet";
import { WebSocket } from "ws";
import { until } from "../../../../scripts/testing/until.ts";
import { startMqtt } from "./mqtt-under-test.suite.ts";

/** Much longer than a peer is waited for, and shorter than `ws` would wait. */
const SOON_MS = 20_000;

/** With a device of one key by WebSocket, as bytes on the wire: it does exactly what the test says. */
async function startByWebSocket(t: TestContext) {
  const under = await startMqtt(t);
  const address = under.app.server.address();
  const url = `ws://127.0.0.1:${typeof address === "object" && address?.port}/mqtt`;
  const made = await under.makeKey({ device: "m1" });

  async function open(): Promise<WebSocket> {
    const socket = new WebSocket(url, ["mqtt"]);
    socket.on("error", () => {});
    t.after(() => socket.terminate());
    await once(socket, "open");
    return socket;
  }
  const say = (socket: WebSocket, packet: Packet) => socket.send(mqttPacket.generate(packet));
  /** Its CONNECT was answered, and it is known. */
  async function openDevice(): Promise<WebSocket> {
    const socket = await open();
    const answered = once(socket, "message");
    const [username, password] = ["m1", Buffer.from(made.key)];
    say(socket, {
      cmd: "connect",
      clientId: "raw",
      protocolId: "MQTT",
      protocolVersion: 4,
      clean: true,
      username,
      password,
    });
    assert.deepEqual(Buffer.from((await answered)[0] as Buffer), Buffer.from([0x20, 2, 0, 0]));
    return socket;
  }
  const comings = () => under.heard.get("w-arm")?.connections ?? [];
  const gone = (socket: WebSocket) => until("its socket is closed", () => socket.readyState === socket.CLOSED);
  return { ...under, url, made, open, openDevice, say, comings, gone };
}

test("a frame that is too large ends the device at once, also if it never answers the close frame", async (t) => {
  const { openDevice, comings } = await startByWebSocket(t);
  const device = await openDevice();
  await until("it is there", () => comings().length === 1);
  device.pause();
  const startedMs = performance.now();
  device.send(Buffer.alloc(DEVICES_LIMITS.maxUnreadBytes + 1, 0x30));
  await until("it is gone", () => comings().length === 2);
  assert.deepEqual(comings(), ["m1 came", "m1 left"]);
  assert.ok(performance.now() - startedMs < SOON_MS);
});

test("pings or empty frames without end close the connection; a few pings are answered", async (t) => {
  const { open, openDevice, gone } = await startByWebSocket(t);
  for (const socket of [await open(), await openDevice()]) {
    const answered = once(socket, "pong");
    socket.ping("there?");
    assert.equal(String((await answered)[0]), "there?");
    for (let i = 0; i < 1_000; i += 1) socket.ping();
    await gone(socket);
  }
  const hollow = await openDevice();
  for (let i = 0; i < 5 * DEVICES_LIMITS.maxGatewayMessagesPerSecond; i += 1) hollow.send(Buffer.alloc(0));
  await gone(hollow);
});

test("of 1,000 filters in one packet 256 are granted; then the key is revoked, and its connection is closed", async (t) => {
  const { openDevice, say, gone, connect, url, made, app, path } = await startByWebSocket(t);
  const device = await openDevice();
  const subscriptions = Array.from({ length: 1_000 }, (_, place) => ({
    ...{ topic: `homie/5/m1/a/p${place}`, qos: 0 as const },
  }));
  const answered = once(device, "message");
  say(device, { cmd: "subscribe", messageId: 1, subscriptions });
  const codes = Buffer.from((await answered)[0] as Buffer).subarray(-subscriptions.length);
  assert.equal(codes.filter((code) => code === 0).length, DEVICES_LIMITS.maxTopicFilters);
  assert.equal(codes.filter((code) => code === 0x80).length, 1_000 - DEVICES_LIMITS.maxTopicFilters);
  assert.equal((await app.inject({ method: "DELETE", url: path("arm", `/${made.id}`) })).statusCode, 204);
  await gone(device);
  await assert.rejects(connect(made.key, {}, url), /Bad username or password/);
});

test("a subscriber by WebSocket that reads nothing is closed, and holds up nobody", async (t) => {
  const { openDevice, say, heard, connect, made, url, comings } = await startByWebSocket(t);
  const slow = await openDevice();
  const answered = once(slow, "message");
  say(slow, { cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "homie/5/m1/a/set", qos: 0 }] });
  await answered;
  const good = await connect(made.key, {}, url);
  await good.subscribeAsync("homie/5/m1/b/set");
  slow.pause();
  const link = heard.get("w-arm")?.link;
  assert.ok(link);
  const text = "x".repeat(60_000);
  await until("the slow one is closed", async () => {
    for (let i = 0; i < 20; i += 1) await link.send("homie/5/m1/a/set", text);
    return link.connections() === 1;
  });
  await link.send("homie/5/m1/b/set", "1");
  await until("the good one hears", () => good.got.includes("homie/5/m1/b/set=1"));
  assert.equal(comings().at(-1), "m1 came");
});

import assert from "node:assert/strict";
import { Duplex } from "node:stream";
import { type TestContext, test } from "node:test";
import mqttPacket, { type Packet } from "mqtt-packet";
import { until } from "../../../../scripts/testing/until.ts";
import { type EmbeddedBroker, openEmbeddedBroker } from "./embedded.ts";
import type { KeyRow } from "./keys.ts";

const KEY: KeyRow = {
  ...{ id: "k", workspace_id: "w", name: "a key", device: null, gateway: 1 },
  ...{ created_at_ms: 0, last_seen_at_ms: null },
};

async function openBroker(t: TestContext): Promise<EmbeddedBroker> {
  const nothing = () => {};
  const broker = await openEmbeddedBroker({
    ...{ now: Date.now, retained: { bytes: 0 }, onFlood: nothing, onClosed: nothing, note: nothing },
    ...{ bind: async () => true, onFault: (error) => assert.fail(String(error)) },
  });
  t.after(() => broker.close());
  return broker;
}

/** A device that listens to everything. `got` has what was written to its connection, at the moment it was. */
let clients = 0;
async function connect(broker: EmbeddedBroker, { isReading = true } = {}) {
  clients += 1;
  const got: Packet[] = [];
  const parser = mqttPacket.parser().on("packet", (packet: Packet) => got.push(packet));
  const stream = new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      parser.parse(chunk);
      if (isReading || !got.some(({ cmd }) => cmd === "suback")) done();
    },
  });
  broker.take(stream, { ...KEY });
  stream.push(
    mqttPacket.generate({ cmd: "connect", clientId: `c${clients}`, clean: true, keepalive: 0, protocolId: "MQTT" }),
  );
  const subscriptions = [{ topic: "lamp/#", qos: 1 as const }];
  stream.push(mqttPacket.generate({ cmd: "subscribe", messageId: 1, subscriptions }));
  await until("it has subscribed", () => got.some(({ cmd }) => cmd === "suback"));
  const messages = () => got.filter((packet) => packet.cmd === "publish");
  return { stream, messages };
}

test("what the link sends is on the wire when the call returns, so that nothing can come before a stop", async (t) => {
  const broker = await openBroker(t);
  const [one, other] = [await connect(broker), await connect(broker)];
  void broker.send("lamp/set", "off", { qos: 1 });
  for (const { messages } of [one, other]) {
    const [message] = messages();
    assert.equal(`${message?.topic}=${message?.payload} (${message?.qos})`, "lamp/set=off (1)");
  }
  void broker.send("lamp/set", "on");
  assert.deepEqual(
    one.messages().map(({ payload, qos, messageId }) => [String(payload), qos, messageId !== undefined]),
    [
      ["off", 1, true],
      ["on", 0, false],
    ],
  );
});

test("messages whose acknowledgement is awaited have different ids", async (t) => {
  const broker = await openBroker(t);
  const { messages } = await connect(broker);
  for (let i = 0; i < 100; i += 1) void broker.send("lamp/set", String(i), { qos: 1 });
  assert.equal(new Set(messages().map(({ messageId }) => messageId)).size, 100);
});

test("a connection that does not read is closed when too much waits for it, and the others get everything", async (t) => {
  const broker = await openBroker(t);
  const stuck = await connect(broker, { isReading: false });
  const reading = await connect(broker);
  for (let i = 0; i < 10; i += 1) void broker.send("lamp/set", "x".repeat(50_000));
  assert.equal(stuck.stream.destroyed, true);
  assert.equal(reading.stream.destroyed, false);
  assert.equal(reading.messages().length, 10);
});

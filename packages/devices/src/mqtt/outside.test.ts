import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { type TestContext, test } from "node:test";
import mqttPacket, { type Packet } from "mqtt-packet";
import { until } from "../../../../scripts/testing/until.ts";
import { connectOutside } from "./outside.ts";

/** A broker with one retained message, which comes before the answer to its subscription; that waits for `answer`. */
async function startSlowBroker(t: TestContext) {
  const answer = Promise.withResolvers<void>();
  let received = 0;
  const server = createServer((socket) => {
    const parser = mqttPacket.parser();
    const send = (packet: Packet) => void socket.write(mqttPacket.generate(packet));
    parser.on("packet", (packet) => {
      if (packet.cmd === "connect") send({ cmd: "connack", returnCode: 0, sessionPresent: false });
      if (packet.cmd === "pingreq") send({ cmd: "pingresp" });
      if (packet.cmd === "puback") received += 1;
      if (packet.cmd !== "subscribe") return;
      const { messageId = 0 } = packet;
      const topic = "ada/arm/homie/5/m1/$state";
      send({ cmd: "publish", topic, payload: "ready", qos: 1, retain: true, dup: false, messageId: 1 });
      void answer.promise.then(() => send({ cmd: "suback", messageId, granted: [1] }));
    });
    socket.on("data", (chunk) => parser.parse(chunk));
    socket.on("error", () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `mqtt://127.0.0.1:${port}`, answer: answer.resolve, received: () => received };
}

test("what is retained is heard by whoever listens while the connection is made", async (t) => {
  const { url, answer, received } = await startSlowBroker(t);
  const outside = connectOutside(url, { onFault: (error) => assert.fail(String(error)) });
  t.after(() => outside.close());
  const link = await outside.open({ id: "w", owner: "ada", repo: "arm" });
  await until("it is connected", () => outside.fault() === undefined || received() > 0);
  const heard: string[] = [];
  link.onMessage(({ topic, payload }) => heard.push(`${topic}=${payload}`));
  answer();
  await until("it is heard", () => heard.includes("homie/5/m1/$state=ready"));
});

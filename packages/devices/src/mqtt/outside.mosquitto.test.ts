import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { promisify } from "node:util";
import mqttPacket from "mqtt-packet";
import { findMosquittoClients, startMosquitto } from "../../../../scripts/services/index.ts";
import { until } from "../../../../scripts/testing/until.ts";
import { startMqtt } from "./mqtt-under-test.suite.ts";
import { PACKETS_PER_TURN } from "./slices.ts";

const run = promisify(execFile);

test("Mosquitto outside: a workspace's topics are below owner and name; commands do not outlive an outage", async (t) => {
  await using mosquitto = await startMosquitto();
  const { pub } = await findMosquittoClients();
  const publish = (...args: string[]) => run(pub, ["-h", "127.0.0.1", "-p", String(mosquitto.port), ...args]);
  await publish("-t", "ada/arm/homie/5/m1/$state", "-m", "ready", "-r");
  await publish("-t", "ada/cell/homie/5/m2/$state", "-m", "ready", "-r");
  const { hear, topicsHeard, brokers, makeKey } = await startMqtt(t, { settings: { mqttUrl: mosquitto.url } });
  const { link } = await hear("w-arm");
  const changes: boolean[] = [];
  link.onUp((isUp) => changes.push(isUp));
  await until("what is retained comes", () => topicsHeard().includes("homie/5/m1/$state=ready"));
  assert.deepEqual([brokers.fault(), (await makeKey({})).code], [undefined, "outside-broker"]);
  await publish("-t", "ada/arm/homie/5/m1/a/sample", "-m", "1");
  await until("it is heard", () => topicsHeard().includes("homie/5/m1/a/sample=1"));
  assert.ok(!topicsHeard().some((line) => line.includes("m2")));
  await mosquitto.stop();
  await until("it is away", () => !link.isUp());
  assert.match(brokers.fault() ?? "", /MQTT broker at mqtt:\/\/127\.0\.0\.1:\d+ cannot be used/);
  await assert.rejects(link.send("homie/5/m1/a/command/set", "{}", { qos: 1 }));
  await mosquitto.start();
  await until("it is back", () => link.isUp());
  await publish("-t", "ada/arm/homie/5/m1/a/sample", "-m", "2");
  await until("it goes on", () => topicsHeard().includes("homie/5/m1/a/sample=2"));
  assert.deepEqual(changes.slice(-2), [false, true]);
});

test("what a broker outside sends at once is heard a few messages per turn of the event loop", async (t) => {
  await using mosquitto = await startMosquitto();
  const { hear, connect, topicsHeard } = await startMqtt(t, { settings: { mqttUrl: mosquitto.url } });
  const { link } = await hear("w-arm");
  await until("the link is up", () => link.isUp());
  const device = await connect("", {}, mosquitto.url);
  const count = 800;
  let [now, most] = [0, 0];
  let isOver = false;
  const nextTurn = (): void => {
    now = 0;
    if (!isOver) setImmediate(nextTurn);
  };
  nextTurn();
  t.after(() => {
    isOver = true;
  });
  link.onMessage(() => {
    now += 1;
    most = Math.max(most, now);
  });
  const topic = "ada/arm/homie/5/m1/a/b";
  const all = Array.from({ length: count }, (_, n) =>
    mqttPacket.generate({ ...{ cmd: "publish", topic, payload: String(n), retain: false, qos: 0, dup: false } }),
  );
  device.stream.write(Buffer.concat(all));
  await until("all of it is heard", () => topicsHeard().length === count);
  assert.ok(most <= PACKETS_PER_TURN, `${most} in one turn`);
  await link.send("homie/5/m1/a/command/set", "{}", { qos: 1 });
});

test("mosquitto_pub and mosquitto_sub are devices of the embedded broker, by their key", async (t) => {
  const { pub, sub } = await findMosquittoClients();
  const { makeKey, brokers, topicsHeard, heard } = await startMqtt(t);
  const { key } = await makeKey({ device: "m1" });
  const access = ["-h", "127.0.0.1", "-p", new URL(brokers.address() as string).port, "-u", "m1", "-P", key];
  const listener = spawn(sub, [...access, "-t", "homie/5/m1/+/command/set", "-q", "1", "-C", "1", "-v"]);
  t.after(() => listener.kill());
  const said = once(listener.stdout, "data");
  await until("it listens", () => heard.get("w-arm")?.connections.includes("m1 came") === true);
  await run(pub, [...access, "-q", "1", "-t", "homie/5/m1/$state", "-m", "ready", "-r"]);
  await until("it is heard", () => topicsHeard().includes("homie/5/m1/$state=ready"));
  const timer = setInterval(
    () => void heard.get("w-arm")?.link.send("homie/5/m1/motor/command/set", "{}", { qos: 1 }),
    100,
  );
  t.after(() => clearInterval(timer));
  assert.equal(String((await said)[0]).trim(), "homie/5/m1/motor/command/set {}");
  await assert.rejects(
    run(pub, [...access.slice(0, -1), "wrong", "-t", "homie/5/m1/x/y", "-m", "1"]),
    /not authori[sz]ed|Connection Refused/i,
  );
  await assert.rejects(run(pub, ["-V", "5", ...access, "-t", "homie/5/m1/x/y", "-m", "1"]), /Unsupported/i);
});

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Ack, Devices, LastValue } from "@backplane/contract/devices";
import mqttPacket from "mqtt-packet";
import { findMosquittoClients, findPythonWithPaho, startMosquitto } from "../../../../scripts/services/index.ts";
import { until } from "../../../../scripts/testing/until.ts";
import { openAreaForTest } from "../testing/area.ts";
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

test("a device in Python, by paho: it is shown, measures, does what it is told, is lost when it is killed", async (t) => {
  const python = await findPythonWithPaho();
  const { json, call, deviceKey, first } = await openAreaForTest(t, { name: "one process" });
  const key = await deviceKey({ device: "heater" });
  const program = fileURLToPath(new URL("../testing/paho_device.py", import.meta.url));
  const start = (password: string) => {
    const { hostname, port } = new URL(first.area.address() as string);
    const child = spawn(python, [program, hostname, port, "heater", password]);
    t.after(() => child.kill("SIGKILL"));
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => {
        said += text;
      });
    return { child, said: () => said };
  };
  const stranger = start(`${key.slice(0, -1)}?`);
  await until("a wrong key is refused", () => stranger.said().includes("connected 4"));
  const heater = start(key);
  const stateOf = async () => (await json<Devices>("")).devices.find(({ id }) => id === "heater")?.state;
  await until("it is ready", async () => (await stateOf()) === "ready");
  await until("it measures", async () => (await call("GET", "/heater/heat")).status === 200);
  assert.deepEqual((await json<LastValue>("/heater/heat")).fields, { temperature_c: 21.5 });
  const told = await call("POST", "/heater/thermostat/commands", { body: { name: "target", params: { value: 60 } } });
  const { ok, reached } = (await told.json()) as Ack;
  assert.deepEqual([told.status, ok, reached, heater.said()], [200, true, undefined, "connected 0\ntold 60\n"]);
  const refused = await call("POST", "/heater/thermostat/commands", {
    body: { name: "target", params: { value: 99 } },
  });
  assert.deepEqual([refused.status, heater.said()], [422, "connected 0\ntold 60\n"]);
  heater.child.kill("SIGKILL");
  await until("its last will is heard", async () => (await stateOf()) === "lost");
});

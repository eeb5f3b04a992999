import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  DEVICES_LIMITS,
  type DeviceKeys,
  type Devices,
  type LastValue,
  type Simulators as Listed,
  type RunningSimulator,
} from "@backplane/contract/devices";
import { MqttClient } from "mqtt";
import { until } from "../../../../scripts/testing/until.ts";
import type { Simulators } from "../services.ts";
import { openAreaForTest } from "../testing/area.ts";
import { DESCRIPTION } from "../testing/homie-device.ts";

/** A device that says one value, over the stream that it is given. */
function createSimulators() {
  const clients: MqttClient[] = [];
  const seen: { key: string; id: string }[] = [];
  const simulators: Simulators = {
    kinds: [{ kind: "motor", name: "Motor", description: "A motor", shows: ["motor"] }],
    start({ id, url, key = "" }) {
      assert.ok(typeof url === "function");
      seen.push({ key, id });
      const client = new MqttClient(url, {
        ...{ username: id, password: key, clientId: id, protocolVersion: 4, reconnectPeriod: 50 },
      });
      clients.push(client);
      const say = (topic: string, text: string, retain = true) =>
        client.publishAsync(`homie/5/${id}/${topic}`, text, { qos: 1, retain });
      const introduce = async () => {
        await new Promise<void>((resolve) => client.once("connect", () => resolve()));
        await say("$description", JSON.stringify(DESCRIPTION));
        await say("$state", "ready");
        await say("motor/sample", '{"value":7}', false);
      };
      return {
        ready: introduce(),
        async close() {
          await say("$state", "").catch(() => {});
          await client.endAsync(true);
        },
      };
    },
  };
  return { simulators, clients, seen };
}

async function openArea(t: TestContext) {
  const made = createSimulators();
  const under = await openAreaForTest(t, { name: "simulators", simulators: made.simulators });
  const start = (kind: unknown = "motor", as = "ada") => under.call("POST", "/simulators", { body: { kind }, as });
  const ids = async () => (await under.json<Devices>("")).devices.map(({ id }) => id);
  return { ...under, ...made, start, ids };
}

test("a simulator is started, measures, and is gone with its key when it is ended", async (t) => {
  const { start, json, call, ids, seen, notes } = await openArea(t);
  assert.deepEqual((await json<Listed>("/simulators")).kinds[0]?.shows, ["motor"]);
  const response = await start();
  assert.equal(response.status, 201, await response.clone().text());
  const { device } = (await response.json()) as RunningSimulator;
  assert.equal(device, "sim-motor");
  assert.deepEqual((await json<LastValue>("/sim-motor/motor")).fields, { value: 7 });
  assert.deepEqual((await json<DeviceKeys>("/keys")).keys, []);
  assert.equal((await call("POST", "/keys", { body: { name: "other", device } })).status, 409);
  assert.equal((await json<Listed>("/simulators")).running[0]?.device, device);
  assert.equal((await call("DELETE", "/simulators/sim-motor")).status, 204);
  assert.equal((await call("DELETE", "/simulators/sim-motor")).status, 404);
  assert.deepEqual(await ids(), []);
  assert.ok(notes.some((note) => note.includes("ada started the simulator sim-motor")));
  assert.ok(notes.every((note) => !note.includes(seen[0]?.key ?? "")));
});

test("its key works for its device only, and no longer when the simulator has ended", async (t) => {
  const { start, call, seen, clients, ids, first, deviceKey } = await openArea(t);
  await deviceKey({ device: "other" });
  await start();
  const [client] = clients;
  client?.publish("homie/5/other/$state", "ready", { retain: true });
  await until("the connection was closed", () => client?.connected === false);
  assert.deepEqual(await ids(), ["sim-motor"]);
  await call("DELETE", "/simulators/sim-motor");
  const { connectAsync } = await import("mqtt");
  const { key = "", id = "" } = seen[0] ?? {};
  const options = { username: id, password: key, protocolVersion: 4 as const, reconnectPeriod: 0 };
  await assert.rejects(connectAsync(first.area.address() ?? "", options));
});

test("simulators are bounded, also when many are asked for at once, and none takes the name of a device", async (t) => {
  const { start, json, deviceKey } = await openArea(t);
  await deviceKey({ device: "sim-motor" });
  assert.equal((await start()).status, 201);
  const more = await Promise.all(Array.from({ length: 2 * DEVICES_LIMITS.maxSimulators }, () => start()));
  const { running } = await json<Listed>("/simulators");
  assert.ok(more.filter(({ status }) => status === 201).length <= DEVICES_LIMITS.maxSimulators);
  assert.equal(new Set(running.map(({ device }) => device)).size, running.length);
  assert.ok(running.every(({ device }) => device !== "sim-motor"));
});

test("whoever may only look, and what is not a kind, starts nothing", async (t) => {
  const { start, json } = await openArea(t);
  assert.equal((await start("motor", "eve")).status, 403);
  for (const kind of ["toaster", "", "../motor", "__proto__", 7, null]) {
    const { status } = await start(kind);
    assert.ok(status === 400 || status === 422, `${kind}: ${status}`);
  }
  assert.deepEqual((await json<Listed>("/simulators")).running, []);
});

test("where the operator has switched simulators off, none is offered", async (t) => {
  const { call, json } = await openAreaForTest(t, { name: "off" });
  assert.deepEqual(await json<Listed>("/simulators"), { kinds: [], running: [] });
  const refused = await call("POST", "/simulators", { body: { kind: "motor" } });
  assert.equal(refused.status, 403);
  assert.match(await refused.text(), /simulators-off/);
});

test("a simulator ends with its workspace", async (t) => {
  const { start, workspaces, clients } = await openArea(t);
  await start();
  await workspaces.remove("w-demo");
  assert.equal(clients[0]?.connected, false);
});

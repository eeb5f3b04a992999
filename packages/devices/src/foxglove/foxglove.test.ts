import assert from "node:assert/strict";
import { test } from "node:test";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import { until } from "../../../../scripts/testing/until.ts";
import { openForTools } from "../testing/for-tools.ts";
import { OLDER } from "../testing/foxglove-tool.ts";
import { HomieDevice } from "../testing/homie-device.ts";

test("the protocol's own client attaches by a link, sees channels with schemas, the time, values and log lines", async (t) => {
  const { link, attach, motor, mqttUrl, deviceKey } = await openForTools(t);
  const before = BigInt(Date.now()) * 1_000_000n;
  await motor.sample({ value: 1 });
  const tool = attach(await link("eve"));
  const channel = await tool.channel("/motor-1/motor");
  assert.deepEqual([tool.info?.name, tool.info?.capabilities], ["Backplane ada/demo", ["time"]]);
  assert.deepEqual([channel.encoding, channel.schemaEncoding], ["json", "jsonschema"]);
  assert.deepEqual(JSON.parse(channel.schema).properties.value, { type: "number" });

  const values = tool.client.subscribe(channel.id);
  await until("the last value is there", () => tool.of(values).length === 1);
  for (const value of [2, 3, 4]) await motor.sample({ value });
  await until("all are there", () => tool.of(values).length === 4);
  const got = tool.of(values);
  assert.deepEqual(
    got.map(({ value }) => value),
    [1, 2, 3, 4].map((value) => ({ value })),
  );
  assert.ok(got.every(({ timestamp }, i) => timestamp > (got[i - 1]?.timestamp ?? before - 1_000_000n)));
  await until("the time goes on", () => tool.timeNs > before);

  const { id, schemaName } = await tool.channel("/log");
  assert.equal(schemaName, "foxglove.Log");
  const log = tool.client.subscribe(id);
  await until("a line is there", async () => {
    await motor.log("warn", "too hot");
    return tool.of(log).length > 0;
  });
  const { level, message, name } = tool.of(log)[0]?.value ?? {};
  assert.deepEqual([level, message, name], [3, "too hot", "motor-1"]);

  tool.client.unsubscribe(values);
  const later = await HomieDevice.connect(t, {
    url: mqttUrl,
    key: await deviceKey({ device: "motor-2" }),
    id: "motor-2",
  });
  const other = tool.client.subscribe((await tool.channel("/motor-2/motor")).id);
  await motor.sample({ value: 5 });
  await later.sample({ value: 6 });
  await until("the other device is shown", () => tool.of(other).some(({ value }) => value.value === 6));
  assert.equal(tool.of(values).length, 4, "nothing after unsubscribe");
  assert.deepEqual([tool.errors, tool.statuses], [[], []]);
});

test("a tool only looks: what it publishes, calls or sends besides is refused, and nonsense harms nobody", async (t) => {
  const { link, attach, motor } = await openForTools(t);
  const tool = attach(await link(), ["foxglove.sdk.v1", OLDER]);
  const { id } = await tool.channel("/motor-1/motor");
  assert.equal(tool.socket.protocol, "foxglove.sdk.v1");
  const published = tool.client.advertise({ topic: "/motor-1/motor", encoding: "json", schemaName: "x" });
  tool.client.sendMessage(published, new TextEncoder().encode("{}"));
  tool.client.setParameters([{ name: "x", value: 1 }]);
  for (const text of [
    "{",
    "[]",
    "null",
    "{}",
    '{"op":"subscribe"}',
    '{"op":"subscribe","subscriptions":[null,1,{}]}',
  ]) {
    tool.socket.send(text);
  }
  tool.client.subscribe(999);
  await until("all is answered", () => tool.statuses.length >= 9);
  assert.ok(tool.statuses.filter((status) => /not controlled/.test(status)).length >= 3);
  assert.ok(tool.statuses.some((status) => /no channel 999/.test(status)));
  const once = tool.client.subscribe(id);
  tool.client.subscribe(id);
  await until("a second one for the same channel is refused", () =>
    tool.statuses.some((status) => status.includes(`channel ${id} already`)),
  );
  await motor.sample({ value: 1 });
  await until("the first one is served", () => tool.of(once).length > 0);
  assert.ok(tool.messages.every(({ subscriptionId }) => subscriptionId === once));
  assert.ok(!motor.received.some(({ name }) => name === "velocity"));
  for (let i = 0; i < 500; i += 1) tool.socket.send("{}");
  assert.equal(await tool.closed(), 1008);
});

test("a link opens one workspace as long as it is used; without it, used up or made by somebody who signed out, nothing", async (t) => {
  const { link, attach, workspaces, call } = await openForTools(t);
  const url = await link();
  const first = attach(url);
  await first.channel("/log");
  const again = attach(url);
  await again.channel("/log");
  const refused = async (address: string, protocols?: string[]) => {
    const tool = attach(address, protocols);
    await tool.closed();
    assert.equal(tool.info, undefined);
    return String((tool.errors[0] as Error).message);
  };
  assert.match(await refused(url.replace(/ticket=.*/, "")), /401/);
  assert.match(await refused(url.replace(/.$/, (last) => (last === "A" ? "B" : "A"))), /401/);
  assert.match(await refused(url, ["mqtt"]), /400/);
  assert.equal((await call("POST", "/foxglove", { as: "nobody" })).status, 403);

  const eves = attach(await link("eve"));
  await eves.channel("/log");
  workspaces.endAccessOf("ada");
  assert.deepEqual([await first.closed(), await again.closed()], [1008, 1008]);
  await workspaces.remove("w-demo");
  assert.equal(await eves.closed(), 1008);
});

test("a workspace has 20 tools, and one that does not read holds up nobody", async (t) => {
  const { link, attach, motor } = await openForTools(t);
  const url = await link();
  const slow = attach(url);
  const { id } = await slow.channel("/motor-1/motor");
  slow.client.subscribe(id);
  slow.socket.pause();
  const others = Array.from({ length: DEVICES_LIMITS.maxTools }, () => attach(url));
  await until("one is refused", () => others.some(({ errors }) => errors.length > 0));
  const [error] = others.flatMap(({ errors }) => errors);
  assert.match(String(error), /429/);
  const reader = others.find(({ closeCode, channels }) => closeCode === undefined && channels.size > 0) ?? others[0];
  assert.ok(reader);
  const seen = reader.client.subscribe((await reader.channel("/motor-1/motor")).id);
  for (let value = 0; value < 200; value += 1) await motor.sample({ value });
  await until("the others go on", () => reader.of(seen).at(-1)?.value.value === 199);
});

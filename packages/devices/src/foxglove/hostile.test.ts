import assert from "node:assert/strict";
import { test } from "node:test";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import { until } from "../../../../scripts/testing/until.ts";
import { openForTools } from "../testing/for-tools.ts";

/** Much longer than a tool is waited for, and shorter than `ws` would wait. */
const SOON_MS = 20_000;

test("a message that is too large, pings without end and 1,000 subscriptions in one message: closed or answered, and others are served", async (t) => {
  const { link, attach, motor } = await openForTools(t);
  const url = await link();
  const good = attach(url);
  const { id } = await good.channel("/motor-1/motor");
  const seen = good.client.subscribe(id);

  const large = attach(url);
  await large.channel("/log");
  large.socket.send("x".repeat(DEVICES_LIMITS.maxMessageBytes + 1));
  assert.equal(await large.closed(), 1009);

  const pinging = attach(url);
  await pinging.channel("/log");
  let answers = 0;
  pinging.socket.on("pong", () => {
    answers += 1;
  });
  pinging.socket.ping();
  await until("a ping is answered", () => answers === 1);
  for (let i = 0; i < 1_000; i += 1) pinging.socket.ping();
  await pinging.closed();

  const greedy = attach(url);
  await greedy.channel("/log");
  const subscriptions = Array.from({ length: 1_000 }, (_, place) => ({ id: place, channelId: id }));
  greedy.socket.send(JSON.stringify({ op: "subscribe", subscriptions }));
  await until("the first one is served", async () => {
    await motor.sample({ value: 1 });
    return greedy.of(0).length > 0;
  });
  assert.ok(greedy.messages.every(({ subscriptionId }) => subscriptionId === 0));
  assert.ok(greedy.statuses.length < 2 * DEVICES_LIMITS.maxSubscriptions);
  await until("the good one sees values", () => good.of(seen).length > 0);
  assert.equal(good.closeCode, undefined);
});

test("a tool that answers no close frame is cut off when the access of its link ends", async (t) => {
  const { link, attach, workspaces } = await openForTools(t);
  const deaf = attach(await link());
  await deaf.channel("/log");
  Object.assign(deaf.socket, { close() {} });
  const startedMs = performance.now();
  workspaces.endAccessOf("ada");
  assert.equal(await deaf.closed(), 1008);
  assert.ok(performance.now() - startedMs < SOON_MS);
});

test("a device that describes itself anew ends the subscription for what it was: a tool never runs out of them", async (t) => {
  const { link, attach, motor } = await openForTools(t);
  const tool = attach(await link());
  const before = await tool.channel("/motor-1/motor");
  const old = tool.client.subscribe(before.id);
  await until("the old one is served", async () => {
    await motor.sample({ value: 1 });
    return tool.of(old).length > 0;
  });
  await motor.describeAgain({ current_a: { type: "number" } });
  await until("another channel is there instead", () => !tool.channels.has(before.id));
  const seen = tool.of(old).length;
  const { id } = await tool.channel("/motor-1/motor");
  const next = tool.client.subscribe(id);
  await until("the new one is served", async () => {
    await motor.sample({ value: 2, current_a: 3 });
    return tool.of(next).some(({ value }) => value.current_a === 3);
  });
  assert.equal(tool.of(old).length, seen);
});

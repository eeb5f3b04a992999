import assert from "node:assert/strict";
import { test } from "node:test";
import type { Device, DevicesHubMessage, DevicesPageMessage, WireBatch } from "@backplane/contract/devices";
import { CONNECTION_WAITS } from "../live/connection.ts";
import { createFakeEnvironment } from "../live/fake-environment.suite.ts";
import type { PanelBatch } from "./devices.ts";
import { openDevices } from "./open-devices.ts";

const deviceOf = (id: string, more: Partial<Device> = {}): Device => ({
  ...{ id, name: id, source: "homie", state: "ready", lastSeenAt: "2026-01-01T00:00:00.000Z", alerts: [] },
  ...{ isArmed: false, isMoving: false, capabilities: [] },
  ...more,
});
const WELCOME = {
  ...{
    type: "welcome",
    tab: "tab",
    devices: [deviceOf("oven")],
    stopped: null,
    mayControl: true,
    recording: null,
    nowMs: 5_000,
  },
} satisfies DevicesHubMessage;
const WANT = { device: "oven", capability: "air", historyMs: 60_000 };

async function open() {
  const { world, environment } = createFakeEnvironment<DevicesHubMessage, DevicesPageMessage>(WELCOME);
  const page = { isHidden: false, onHidden: () => {} };
  const opened = openDevices(
    { owner: "ada", repo: "demo" },
    {
      ...environment,
      ...{ isHidden: () => page.isHidden, onLeave: () => () => {}, serialPorts: undefined },
      onHidden(listener) {
        page.onHidden = listener;
        return () => {};
      },
    },
  );
  await world.welcome();
  const say = (...batches: WireBatch[]) => world.last().say({ type: "values", nowMs: 0, batches });
  const hide = (isHidden: boolean) => {
    page.isHidden = isHidden;
    page.onHidden();
  };
  const reconnect = async () => {
    world.last().events.onClose();
    await world.pass(CONNECTION_WAITS.firstRetryMs);
    await world.welcome();
  };
  const sent = () => world.last().sent.slice(1);
  return { world, ...opened, say, hide, reconnect, sent };
}
const batch = (c: number, t: number[], more: Partial<WireBatch> = {}): WireBatch => ({
  ...{ c, t, f: ["air_c"], v: [t.map((each) => each / 100)] },
  ...more,
});

test("devices are listed by name, change one by one, and the list is the same object until then", async () => {
  const { world, devices } = await open();
  const before = devices.list();
  assert.equal(devices.list(), before);
  let heard = 0;
  devices.onList(() => {
    heard += 1;
  });
  world.last().say({ type: "devices", changed: [deviceOf("lamp 10"), deviceOf("lamp 9")], removed: [] });
  assert.deepEqual(
    devices.list().map(({ id }) => id),
    ["lamp 9", "lamp 10", "oven"],
  );
  world.last().say({ type: "devices", changed: [deviceOf("oven", { state: "lost" })], removed: ["lamp 9"] });
  assert.deepEqual(
    devices.list().map(({ id, state }) => [id, state]),
    [
      ["lamp 10", "ready"],
      ["oven", "lost"],
    ],
  );
  assert.equal(heard, 2);
});

test("a subscription delivers columns by field name, until it is ended", async () => {
  const { devices, say, sent } = await open();
  const batches: PanelBatch[] = [];
  const stop = devices.subscribe(WANT, (each) => batches.push(each));
  assert.deepEqual(sent(), [{ type: "subscribe", id: 1, ...WANT }]);
  say(batch(1, [100, 200], { h: true }), batch(7, [1]));
  assert.deepEqual(batches, [
    { tMs: [100, 200], fields: { air_c: [1, 2] }, thinned: false, isHistory: true, isReset: false },
  ]);
  stop();
  say(batch(1, [300]));
  assert.equal(batches.length, 1);
  assert.deepEqual(sent().at(-1), { type: "unsubscribe", id: 1 });
});

test("fields that a batch does not name are those of the batch before", async () => {
  const { devices, say } = await open();
  const seen: PanelBatch["fields"][] = [];
  devices.subscribe(WANT, ({ fields }) => seen.push(fields));
  say(batch(1, [100]), { c: 1, t: [200], v: [[2]] }, { c: 1, t: [300], f: ["door", "air_c"], v: [[true], [3]] });
  say({ c: 1, t: [400], v: [[false], [4]] });
  assert.deepEqual(seen, [{ air_c: [1] }, { air_c: [2] }, { door: [true], air_c: [3] }, { door: [false], air_c: [4] }]);
});

test("a new connection is asked for everything since the last sample", async () => {
  const { devices, say, reconnect, sent } = await open();
  devices.subscribe(WANT, () => {});
  devices.subscribe({ device: "oven", capability: "door" }, () => {});
  say(batch(1, [100, 200]));
  await reconnect();
  assert.deepEqual(sent(), [
    { type: "subscribe", id: 1, ...WANT, sinceMs: 200 },
    { type: "subscribe", id: 2, device: "oven", capability: "door" },
  ]);
});

test("samples that a hidden page was shown do not count as all samples, until history has filled the holes", async () => {
  const { devices, say, hide, reconnect, sent } = await open();
  const since = () => {
    const asked = sent().find(({ type }) => type === "subscribe");
    return asked?.type === "subscribe" ? asked.sinceMs : undefined;
  };
  devices.subscribe(WANT, () => {});
  say(batch(1, [100]));
  hide(true);
  assert.deepEqual(sent().at(-1), { type: "visible", visible: false });
  say(batch(1, [1_000], { thin: true }));
  await reconnect();
  assert.equal(since(), 100);
  assert.deepEqual(sent()[0], { type: "visible", visible: false });
  hide(false);
  say(batch(1, [2_000], { thin: true }));
  await reconnect();
  assert.equal(since(), 100, "a sample that was on its way when the page was shown");
  say(batch(1, [200, 1_000], { h: true }), batch(1, [2_000], { thin: true }));
  await reconnect();
  assert.equal(since(), 2_000, "envelopes of a slow connection are what there is");
});

test("a panel that throws does not keep values from the others", async () => {
  const { world, environment } = createFakeEnvironment<DevicesHubMessage, DevicesPageMessage>(WELCOME);
  const faults: unknown[] = [];
  const { devices } = openDevices(
    { owner: "ada", repo: "demo" },
    {
      ...environment,
      onFault: (error) => faults.push(error),
      isHidden: () => false,
      onHidden: () => () => {},
      onLeave: () => () => {},
      serialPorts: undefined,
    },
  );
  await world.welcome();
  devices.subscribe(WANT, () => {
    throw new Error("broken panel");
  });
  let heard = 0;
  devices.subscribe(WANT, () => {
    heard += 1;
  });
  world.last().say({ type: "values", nowMs: 0, batches: [batch(1, [1]), batch(2, [1])] });
  assert.deepEqual([heard, faults.length], [1, 1]);
});

test("a command is asked, accepted and reached", async () => {
  const { world, devices, sent } = await open();
  let accepted = 0;
  const answer = devices.command(
    { device: "oven", capability: "heater" },
    "set",
    { power_w: 5 },
    {
      onAccepted: () => {
        accepted += 1;
      },
    },
  );
  const command = { type: "command", device: "oven", capability: "heater", name: "set", params: { power_w: 5 }, id: 1 };
  assert.deepEqual(sent(), [command]);
  world.last().say({ type: "ack", id: 1, stage: "accepted", ack: { ok: true, tookMs: 1 } });
  assert.equal(accepted, 1);
  world.last().say({ type: "ack", id: 1, stage: "reached", ack: { ok: true, tookMs: 4 } });
  assert.deepEqual(await answer, { ok: true, tookMs: 4 });
});

test("every question is answered: when it is refused, when the connection breaks, and when there is none", async () => {
  const { world, devices } = await open();
  const refused = devices.stop();
  world.last().say({ type: "refused", id: 1, code: "scope-missing", detail: "Only look." });
  assert.deepEqual(await refused, { ok: false, code: "denied", detail: "Only look.", tookMs: 0 });
  const broken = devices.control("oven").take();
  world.last().events.onClose();
  assert.equal((await broken).code, "no-answer");
  assert.equal((await devices.control("oven").arm()).code, "no-answer");
  assert.equal(devices.status().connection, "lost");
});

test("control shows who is in control, and whether it is this page", async () => {
  const { world, devices, sent } = await open();
  const control = devices.control("oven");
  assert.deepEqual([control.state().holder, control.state().isMine], [undefined, false]);
  const lease = (tab: string) => ({ holder: { user: "Ada", tab }, since: "", until: "" });
  let heard = 0;
  control.onState(() => {
    heard += 1;
  });
  world.last().say({ type: "devices", changed: [deviceOf("oven", { lease: lease("tab") })], removed: [] });
  assert.equal(control.state().isMine, true);
  world.last().say({ type: "devices", changed: [deviceOf("oven", { lease: lease("other") })], removed: [] });
  assert.deepEqual([control.state().holder?.user, control.state().isMine], ["Ada", false]);
  world.last().say({ type: "stopped", stopped: { by: "Ada", at: "2026-01-01T00:00:00.000Z" } });
  assert.equal(control.state().stopped?.by, "Ada");
  assert.equal(heard, 3);
  control.press();
  control.release();
  assert.deepEqual(sent(), [
    { type: "press", device: "oven" },
    { type: "release", device: "oven" },
  ]);
});

test("lines come with those that are kept: to the first listener, to a later one, and after a reconnect", async () => {
  const { world, devices, reconnect } = await open();
  const line = (text: string) => ({ tMs: 1, device: "oven", level: "info", source: "", text });
  const heard: [string, boolean][] = [];
  const stop = devices.onLines(({ lines, isHistory }) => heard.push([lines.map(({ text }) => text).join(), isHistory]));
  // On its way when lines were switched on again.
  world.last().say({ type: "lines", lines: [line("b")], dropped: 0 });
  world.last().say({ type: "lines", lines: [line("a"), line("b")], dropped: 0, reset: true });
  world.last().say({ type: "lines", lines: [line("c")], dropped: 0 });
  await reconnect();
  assert.deepEqual(world.last().sent.slice(1), [{ type: "lines", on: true }]);
  world.last().say({ type: "lines", lines: [line("a"), line("b"), line("c")], dropped: 0, reset: true });
  assert.deepEqual(heard, [
    ["b", false],
    ["a,b", true],
    ["c", false],
    ["a,b,c", true],
  ]);
  stop();
  assert.deepEqual(world.last().sent.at(-1), { type: "lines", on: false });
});

test("the clock is the hub's", async () => {
  const { world, clock } = await open();
  assert.equal(clock.nowMs(), 5_000);
  world.nowMs += 70;
  assert.equal(clock.nowMs(), 5_070);
});

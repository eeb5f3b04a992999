import assert from "node:assert/strict";
import { test } from "node:test";
import { DEVICES_LIMITS, type Device, type Sample } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import type { Declared } from "../services.ts";
import { capability, createClock, number, thermometer } from "../testing/devices.ts";
import { createKeptMemory, type KeptMemory } from "./kept-memory.ts";
import { createModel } from "./model.ts";

function modelUnderTest(memory?: KeptMemory) {
  const clock = createClock();
  const floods: string[] = [];
  const model = createModel({
    now: clock.now,
    onFault: (error) => assert.fail(String(error)),
    onFlood: (device) => floods.push(device),
    ...(memory === undefined ? {} : { memory }),
  });
  const samples: Sample[] = [];
  const devices: Device[] = [];
  model.on("sample", (sample) => samples.push(sample));
  model.on("device", (device) => devices.push(device));
  return { clock, floods, model, samples, devices };
}

const alertIds = (device: Device | undefined) => device?.alerts.map(({ id }) => id);

test("a device is shown with what it declares, and its samples come with the hub's time", () => {
  const { model, clock, samples } = modelUnderTest();
  assert.equal(model.declare("homie", thermometer()), true);
  model.state("oven", "ready");
  clock.nowMs += 5;
  model.sample("oven", "heat", { temperature_c: 21.5, is_on: true, note: null });
  const device = model.device("oven");
  assert.deepEqual([device?.name, device?.state, device?.source], ["Oven", "ready", "homie"]);
  assert.deepEqual(samples, [
    { device: "oven", capability: "heat", tMs: clock.nowMs, values: { temperature_c: 21.5, is_on: true } },
  ]);
  assert.deepEqual(model.last("oven", "heat"), samples[0]);
});

test("what a broker has retained is shown once, if it is news; it is no sign of life", () => {
  const { model, clock, samples } = modelUnderTest();
  model.declare("home-assistant", thermometer());
  const seenAt = model.device("oven")?.lastSeenAt;
  clock.nowMs += 5_000;
  model.recall("oven", "heat", { temperature_c: 21.5, nonsense: 1 });
  model.recall("oven", "heat", { temperature_c: 21.5 });
  assert.deepEqual(
    samples.map(({ values, isRecalled }) => [values, isRecalled]),
    [[{ temperature_c: 21.5 }, true]],
  );
  assert.equal(model.device("oven")?.lastSeenAt, seenAt);
  model.sample("oven", "heat", { temperature_c: 22 });
  model.recall("oven", "heat", { temperature_c: 22 });
  assert.equal(samples.length, 2, "the broker came back, and says what is known");
});

const HOSTILE_VALUES: [string, unknown][] = [
  ["NaN", { temperature_c: Number.NaN }],
  ["Infinity", { temperature_c: Number.POSITIVE_INFINITY }],
  ["text for a number", { temperature_c: "21" }],
  ["a fraction for an integer", { count: 1.5 }],
  ["text for a truth", { is_on: "yes" }],
  ["text of 1 MB", { note: "x".repeat(1_000_000) }],
  ["10,000 fields", Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`f${i}`, i]))],
  ["a field that is not declared", { other: 1 }],
  ["a field of all objects", { constructor: 1 }],
  ["a prototype", JSON.parse('{"__proto__":{"temperature_c":1}}')],
  ["a prototype in an object", { extra: JSON.parse('{"a":{"__proto__":1}}') }],
  ["a list that is too deep", { zones: JSON.parse(`${"[".repeat(200)}${"]".repeat(200)}`) }],
  ["a list with NaN", { zones: [Number.NaN] }],
  ["a list", [1, 2]],
  ["nothing", null],
  ["a number", 5],
];

for (const [name, values] of HOSTILE_VALUES) {
  test(`a sample with ${name} is refused and counted; at ten per minute the device has an alert`, () => {
    const { model, clock, samples } = modelUnderTest();
    model.declare("homie", thermometer());
    model.declare("homie", thermometer("other"));
    for (let i = 0; i < DEVICES_LIMITS.refusedBeforeAlert; i += 1) {
      assert.deepEqual(model.device("oven")?.alerts, [], `${i}`);
      model.sample("oven", "heat", values as JsonObject);
    }
    assert.equal(samples.length, 0);
    assert.equal(model.refused(), DEVICES_LIMITS.refusedBeforeAlert);
    assert.deepEqual(alertIds(model.device("oven")), ["backplane-refused"]);
    model.sample("other", "heat", { temperature_c: 1 });
    assert.equal(samples.length, 1, "other devices are not affected");
    clock.nowMs += 61_000;
    model.sample("oven", "heat", { temperature_c: 1 });
    assert.deepEqual(model.device("oven")?.alerts, [], "a minute without a fault");
  });
}

test("a sample with one field that is refused keeps the others", () => {
  const { model, samples } = modelUnderTest();
  model.declare("homie", thermometer());
  model.sample("oven", "heat", { temperature_c: 20, other: 1 });
  assert.deepEqual(samples[0]?.values, { temperature_c: 20 });
  assert.equal(model.refused(), 1);
});

test("samples of an unknown capability are refused; those of an unknown device are ignored", () => {
  const { model, samples } = modelUnderTest();
  model.declare("homie", thermometer());
  model.sample("oven", "nothing", { a: 1 });
  model.sample("nobody", "heat", { temperature_c: 1 });
  model.state("nobody", "ready");
  model.alert("nobody", "a", "b");
  model.line("nobody", "info", "a", "b");
  assert.equal(model.refused(), 1);
  assert.equal(samples.length, 0);
  assert.equal(model.devices().length, 1);
});

const many = <One>(length: number, make: (i: number) => One) => Array.from({ length }, (_, i) => make(i));

test("a hostile description is taken within the limits, and the device says what was left out", () => {
  const { model } = modelUnderTest();
  const fields = Object.fromEntries(many(10_000, (i) => [`f${i}`, number]));
  const hostile = {
    id: "x",
    name: { toString: () => "no" },
    maker: "m".repeat(1_000_000),
    capabilities: [
      capability("big", fields),
      capability("big", {}),
      capability("__proto__", {}),
      { id: "odd", kind: 5, fields: { a: { datatype: "void" }, b: null, "../": number }, commands: [] },
      { id: "commands", fields: {}, commands: { go: { params: {}, effect: "harmless" }, bad: { params: 5 } } },
      null,
      ...many(100, (i) => capability(`c${i}`, {})),
    ],
  } as unknown as Declared;
  assert.equal(model.declare("homie", hostile), true);
  const device = model.device("x");
  assert.equal(device?.name, "x");
  assert.equal(device?.maker?.length, DEVICES_LIMITS.maxNameLength);
  assert.ok((device?.capabilities.length ?? 99) <= DEVICES_LIMITS.maxCapabilities);
  const [big, odd, commands] = device?.capabilities ?? [];
  assert.equal(Object.keys(big?.fields ?? {}).length, DEVICES_LIMITS.maxFields);
  assert.deepEqual([odd?.kind, odd?.fields], ["raw", {}]);
  assert.deepEqual(
    commands?.commands,
    { go: { params: {}, effect: "moves" } },
    "an unknown effect counts as the worst",
  );
  assert.deepEqual(alertIds(device), ["backplane-described"]);
});

test("a device whose id cannot be an address is not taken, whatever it is", () => {
  const { model } = modelUnderTest();
  for (const id of ["", "a/b", "../x", "__proto__", "x".repeat(65), 5, null, undefined, {}, "ä"]) {
    assert.equal(model.declare("homie", { id, capabilities: [] } as unknown as Declared), false, String(id));
  }
});

test("a workspace has a limited number of devices and channels", () => {
  const { model } = modelUnderTest();
  const capabilities = many(DEVICES_LIMITS.maxCapabilities, (i) => capability(`c${i}`, {}));
  const declared = many(DEVICES_LIMITS.maxDevices + 1, (i) => model.declare("homie", { id: `d${i}`, capabilities }));
  assert.equal(declared.filter(Boolean).length, DEVICES_LIMITS.maxDevices);
  const channels = model.devices().reduce((sum, device) => sum + device.capabilities.length, 0);
  assert.equal(channels, DEVICES_LIMITS.maxChannels);
  assert.deepEqual(alertIds(model.device("d100")), ["backplane-described"]);
});

test("a second device with an id that another convention has is refused, and the first one says so", () => {
  const { model } = modelUnderTest();
  assert.equal(model.declare("homie", thermometer()), true);
  assert.equal(model.declare("home-assistant", thermometer()), false);
  assert.deepEqual(alertIds(model.device("oven")), ["backplane-same-home-assistant"]);
  assert.equal(model.device("oven")?.source, "homie");
});

test("a description that changes while the device is ready is taken; the device is ready when it says so again", () => {
  const { model, devices } = modelUnderTest();
  model.declare("homie", thermometer());
  model.state("oven", "ready");
  model.sample("oven", "heat", { temperature_c: 1 });
  model.declare("homie", thermometer());
  assert.equal(model.device("oven")?.state, "ready", "the same description changes nothing");
  const before = devices.length;
  model.declare("homie", { ...thermometer(), capabilities: [capability("other", { a: number })] });
  assert.equal(devices.length, before + 1);
  assert.deepEqual(
    [devices.at(-1)?.state, devices.at(-1)?.capabilities.map(({ id }) => id)],
    ["init", ["other"]],
    "capabilities that vanished are gone at once",
  );
  assert.equal(model.last("oven", "heat"), undefined);
  model.state("oven", "ready");
  assert.equal(model.device("oven")?.state, "ready");
});

test("a device's clock may be wrong; when it jumps the device has an alert", () => {
  const { model, clock, samples } = modelUnderTest();
  model.declare("homie", thermometer());
  const send = (deviceTMs: number) => model.sample("oven", "heat", { temperature_c: 1 }, deviceTMs);
  send(5_000);
  clock.nowMs += 1_000;
  send(6_900);
  assert.deepEqual(model.device("oven")?.alerts, []);
  clock.nowMs += 1_000;
  send(-3_600_000);
  assert.deepEqual(alertIds(model.device("oven")), ["backplane-clock"]);
  send(Number.NaN);
  assert.deepEqual(
    samples.map(({ deviceTMs }) => deviceTMs),
    [5_000, 6_900, -3_600_000, undefined],
  );
  const times = samples.map(({ tMs }) => tMs);
  assert.deepEqual(times, times.toSorted(), "the hub's time orders");
});

test("no two samples of a channel have the same time; a hub whose clock is set back goes on", () => {
  const { model, clock, samples } = modelUnderTest();
  model.declare("homie", thermometer());
  for (let i = 0; i < 5; i += 1) model.sample("oven", "heat", { count: i });
  assert.equal(new Set(samples.map(({ tMs }) => tMs)).size, 5);
  clock.nowMs -= 3_600_000;
  model.sample("oven", "heat", { count: 5 });
  assert.equal(samples.at(-1)?.tMs, clock.nowMs);
  assert.deepEqual(
    model.kept("oven", "heat", 0).map(({ values }) => values.count),
    [5],
  );
});

test("a device whose connection breaks is lost at once, and what it was when the connection is back", () => {
  const { model } = modelUnderTest();
  model.declare("homie", thermometer());
  model.state("oven", "ready");
  model.connection("oven", false);
  assert.equal(model.device("oven")?.state, "lost");
  model.connection("oven", true);
  assert.equal(model.device("oven")?.state, "ready");
  model.state("oven", "disconnected");
  model.connection("oven", false);
  assert.equal(model.device("oven")?.state, "disconnected", "it said goodbye");
});

test("what is kept ends after ten minutes, and by number and by memory", () => {
  const { model, clock } = modelUnderTest(createKeptMemory({ maxKeptBytes: 1_000_000 }));
  model.declare("homie", thermometer());
  for (let i = 0; i < 2_000; i += 1) {
    clock.nowMs += 1_000;
    model.sample("oven", "heat", { count: i });
  }
  const kept = model.kept("oven", "heat", clock.nowMs - DEVICES_LIMITS.keptMs);
  assert.equal(kept.length, 601);
  assert.equal(kept[0]?.values.count, 1_399);
  assert.ok((model.kept("oven", "heat", 0).length ?? 0) < 601 + 2 * 512, "older ones are gone");
  for (let i = 0; i < 3_000; i += 1) {
    clock.nowMs += 10;
    model.sample("oven", "heat", { note: "x".repeat(4_000) });
  }
  assert.ok(model.keptBytes() < 3_000_000, `${model.keptBytes()}`);
  assert.equal(model.last("oven", "heat")?.tMs, clock.nowMs);
});

test("very many channels with very many fields take no more memory, also with one sample each", () => {
  const { model } = modelUnderTest(createKeptMemory({ maxKeptBytes: 1_000_000 }));
  const names = Array.from({ length: 200 }, (_, i) => `f${i}`);
  const wide = (id: string) => capability(id, Object.fromEntries(names.map((name) => [name, number])));
  for (let d = 0; d < 10; d += 1) {
    const capabilities = Array.from({ length: 20 }, (_, i) => wide(`c${i}`));
    model.declare("homie", { id: `d${d}`, name: "Wide", capabilities });
    for (const { id } of capabilities) model.sample(`d${d}`, id, Object.fromEntries(names.map((name) => [name, 1])));
  }
  const declared = model.devices().flatMap(({ capabilities }) => capabilities);
  assert.equal(declared.length, Math.floor(DEVICES_LIMITS.maxChannelFields / names.length));
  const left = model.devices().find(({ capabilities }) => capabilities.length === 0);
  assert.match(left?.alerts[0]?.text ?? "", /at most 2000 channels with 16384 fields: c0 is left out/);
  assert.ok(model.keptBytes() < 2_000_000, `${model.keptBytes()}`);
  model.sample("d0", "c0", { f0: 7 });
  assert.equal(model.last("d0", "c0")?.values.f0, 7);
});

test("workspaces share the memory for samples: with more of them, each keeps less", () => {
  const memory = createKeptMemory({ maxKeptBytes: 100_000, maxKeptBytesOfAll: 150_000 });
  const first = modelUnderTest(memory);
  first.model.declare("homie", thermometer());
  for (let i = 0; i < 20_000; i += 1) {
    first.clock.nowMs += 10;
    first.model.sample("oven", "heat", { count: i });
  }
  const alone = first.model.keptBytes();
  const second = modelUnderTest(memory);
  assert.ok(alone > 75_000 && first.model.keptBytes() <= 75_000, `${alone}, ${first.model.keptBytes()}`);
  second.model.close();
});

test("a channel that floods is kept as envelopes with every extreme; after ten seconds its device is reported once", () => {
  const { model, clock, samples, floods } = modelUnderTest();
  model.declare("homie", thermometer());
  let highest = 0;
  for (let i = 0; i < 30_000; i += 1) {
    clock.nowMs += 0.5;
    const value = (i * 7919) % 10_007;
    highest = Math.max(highest, value);
    model.sample("oven", "heat", { temperature_c: value });
  }
  const values = samples.map(({ values: { temperature_c } }) => temperature_c as number);
  assert.ok(samples.length < 15 * (DEVICES_LIMITS.maxSamplesPerSecond + 20), `${samples.length}`);
  assert.equal(Math.max(...values), highest);
  assert.equal(Math.min(...values), 0);
  assert.deepEqual(floods, ["oven"]);
});

test("lines are kept within limits", () => {
  const { model } = modelUnderTest();
  model.declare("homie", thermometer());
  for (let i = 0; i < 5_000; i += 1)
    model.line("oven", "info", "s".repeat(1_000), `\u001b[31m${"x".repeat(10_000)}`, {});
  assert.equal(model.lines().length, 1_000);
  assert.equal(model.lines()[0]?.text.length, DEVICES_LIMITS.maxTextLength);
  assert.equal(model.lines()[0]?.text.includes("\u001b"), false);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import { until } from "../../../../scripts/testing/until.ts";
import { ADA, BOT, EVE } from "../testing/actors.ts";
import { lamp, rail } from "../testing/motor.ts";
import { openWorkbench } from "../testing/workbench.ts";

const { deadManMs, leaseMs, pressMs } = DEVICES_LIMITS;
const MOTOR = { device: "m1", capability: "motor" };
const spin = (velocity_rad_s: unknown) => ({
  name: "velocity",
  params: { velocity_rad_s } as { velocity_rad_s: number },
});

type Bench = Awaited<ReturnType<typeof openWorkbench>>;

/** A motor that is there, and a hub that knows it. */
async function withMotor(bench: Bench, ...more: Parameters<Bench["addMotor"]>[1][]) {
  const motor = await bench.addMotor("m1", more[0]);
  const hub = await bench.openHub();
  await hub.isReady("m1");
  await until("it was told to stop when it connected", () => motor.log.includes("motor idle"));
  motor.log.length = 0;
  return { motor, ...hub };
}

test("nothing moves unheld or unarmed; held, armed and pressed it moves, and it stops by itself when the control is let go", async (t) => {
  const bench = await openWorkbench(t);
  const { motor, control, model, lines } = await withMotor(bench);
  assert.equal((await control.command(MOTOR, spin(5), ADA)).code, "not-held");
  const taken = await control.take("m1", ADA, { takeOver: false });
  assert.deepEqual(taken.lease?.holder, { user: "Ada", tab: "tab-1" });
  assert.equal((await control.command(MOTOR, spin(5), ADA)).code, "not-armed");
  assert.equal(control.arm("m1", ADA).ok, true);
  const stages: string[] = [];
  const ack = await control.command(MOTOR, spin(5), ADA, () => stages.push("accepted"));
  assert.deepEqual([ack.ok, stages], [true, ["accepted"]]);
  assert.deepEqual(motor.log, ["motor velocity 5"]);
  assert.deepEqual([model.device("m1")?.isArmed, model.device("m1")?.isMoving], [true, true]);
  for (let passedMs = 0; passedMs < 600; passedMs += pressMs) {
    bench.clock.ms += pressMs;
    control.press("m1", ADA);
  }
  await until("it is told again, which feeds its watchdog", () => motor.log.length === 4);
  assert.deepEqual(new Set(motor.log), new Set(["motor velocity 5"]));
  bench.clock.ms += deadManMs;
  await until("the dead man stops it", () => motor.log.at(-1) === "motor idle" && motor.wanted === 0);
  assert.equal(model.device("m1")?.isMoving, false);
  assert.ok(lines.some((line) => line.startsWith('Ada: Motor m1 velocity {"velocity_rad_s":5}: reached after')));
  assert.ok(lines.includes('Ada: Motor m1 velocity {"velocity_rad_s":5} refused (not-armed): Arm the device first.'));
  assert.ok(lines.includes("Motor m1 stopped: nothing was heard from Ada while the control was held."));
});

test("by the real clock, too, what nobody holds stops", async (t) => {
  const bench = await openWorkbench(t);
  const motor = await bench.addMotor("m1");
  const { control, isReady } = await bench.openHub({ steady: () => performance.now() });
  await isReady("m1");
  await control.take("m1", ADA, { takeOver: false });
  control.arm("m1", ADA);
  await control.command(MOTOR, spin(5), ADA);
  await until("it stopped", () => motor.log.at(-1) === "motor idle" && motor.wanted === 0);
});

test("a latch runs on without presses and ends with the lease", async (t) => {
  const bench = await openWorkbench(t);
  bench.settings.set("m1", { latch: true });
  const { motor, control, model } = await withMotor(bench);
  await control.take("m1", ADA, { takeOver: false });
  control.arm("m1", ADA);
  await control.command(MOTOR, spin(5), ADA);
  bench.clock.ms += 2 * deadManMs;
  await until("it is told again", () => motor.log.length > 1);
  assert.equal(motor.log.includes("motor idle"), false);
  bench.clock.ms += leaseMs;
  await until("stopped", () => motor.log.at(-1) === "motor idle");
  const { lease, isArmed } = model.device("m1") ?? {};
  assert.deepEqual([lease, isArmed], [undefined, false]);
});

test("letting go, leaving, disarming and taking over stop it at once, and the answer comes after the device's", async (t) => {
  const { motor, control } = await withMotor(await openWorkbench(t));
  const ways: [string, () => Promise<unknown>][] = [
    ["release", () => control.release("m1", ADA)],
    ["leave", () => control.leave(ADA)],
    ["leave this one", () => control.leave(ADA, "m1")],
    ["disarm by somebody else", () => control.disarm("m1", EVE)],
    ["idle by somebody else", () => control.command(MOTOR, { name: "idle", params: {} }, EVE)],
    ["take over", () => control.take("m1", EVE, { takeOver: true })],
  ];
  for (const [name, stop] of ways) {
    assert.equal((await control.take("m1", ADA, { takeOver: false })).ok, true, name);
    assert.equal(control.arm("m1", ADA).ok, true, name);
    assert.equal((await control.command(MOTOR, spin(5), ADA)).ok, true, name);
    await stop();
    assert.equal(motor.wanted, 0, name);
  }
  const refused = await control.take("m1", BOT, { takeOver: true });
  assert.deepEqual([refused.code, refused.holder], ["held", { user: "Eve", tab: "tab-2" }]);
});

test("a stop goes to all devices, is written in the same moment, disarms, and only a holder clears it", async (t) => {
  const bench = await openWorkbench(t);
  const { motor, control, isReady, lines } = await withMotor(bench);
  const second = await bench.addMotor("m2");
  await isReady("m2");
  await until("it was told to stop when it connected", () => second.log.includes("motor idle"));
  const heard: (string | undefined)[] = [];
  control.onStopped((stopped) => heard.push(stopped?.by));
  await control.take("m1", ADA, { takeOver: false });
  control.arm("m1", ADA);
  await control.command(MOTOR, spin(5), ADA);
  second.log.length = 0;
  const answer = await control.stop(EVE);
  assert.deepEqual(Object.keys(answer.devices).sort(), ["m1", "m2"]);
  assert.ok(Object.values(answer.devices).every(({ ok }) => ok));
  assert.deepEqual([motor.wanted, motor.log.at(-1), second.log], [0, "motor idle", ["motor idle"]]);
  assert.equal((await bench.stops.read("bench"))?.by, "Eve");
  assert.equal(control.stopped()?.by, "Eve");
  assert.equal((await control.command(MOTOR, spin(5), ADA)).code, "stopped");
  assert.equal(control.arm("m1", ADA).code, "stopped");
  assert.equal((await control.clear(EVE)).code, "not-held");
  assert.equal((await control.clear(ADA)).ok, true);
  assert.equal(await bench.stops.read("bench"), undefined);
  assert.deepEqual(heard, ["Eve", undefined]);
  assert.equal((await control.command(MOTOR, spin(5), ADA)).code, "not-armed", "everything stays disarmed");
  assert.ok(lines.includes("Eve stopped all devices.") && lines.includes("Ada cleared the stop."));
});

test("a process that starts later finds the stop, and stops every device that connects", async (t) => {
  const bench = await openWorkbench(t);
  const first = await withMotor(bench);
  await first.control.stop(ADA);
  await first.vanish();
  first.motor.log.length = 0;
  const later = await bench.openHub();
  assert.equal(later.control.stopped()?.by, "Ada");
  await later.isReady("m1");
  await until("it is stopped again", () => first.motor.log.includes("motor idle"));
  await later.control.take("m1", ADA, { takeOver: false });
  assert.equal(later.control.arm("m1", ADA).code, "stopped");
});

test("a process that was killed while something moved: the device stops by itself, and the next process stops it and knows no lease", async (t) => {
  const bench = await openWorkbench(t);
  const { motor, control, vanish } = await withMotor(bench);
  await control.take("m1", ADA, { takeOver: false });
  control.arm("m1", ADA);
  await control.command(MOTOR, spin(5), ADA);
  await vanish();
  motor.log.length = 0;
  const next = await bench.openHub();
  await until("it stands still", () => motor.wanted === 0);
  await next.isReady("m1");
  await until("it was told to stop", () => motor.log.includes("motor idle"));
  assert.equal((await next.control.command(MOTOR, spin(5), ADA)).code, "not-held");
});

test("closing stops what moves", async (t) => {
  const { motor, control } = await withMotor(await openWorkbench(t));
  await control.take("m1", ADA, { takeOver: false });
  control.arm("m1", ADA);
  await control.command(MOTOR, spin(5), ADA);
  await control.close();
  assert.equal(motor.wanted, 0);
});

test("a stop that is not answered is sent again until it is", async (t) => {
  const bench = await openWorkbench(t, { ackMs: 50 });
  const { motor, control, lines } = await withMotor(bench);
  motor.isDeaf = true;
  let code: string | undefined;
  // The answer to the stop of the connection may still be on its way.
  while (code === undefined) code = (await control.stop(ADA)).devices.m1?.code;
  assert.equal(code, "no-answer");
  assert.equal(motor.log.length, 0);
  motor.isDeaf = false;
  await until("it hears one", () => lines.some((line) => line.startsWith("Motor m1, told again to stop: reached")));
  assert.ok(motor.log.includes("motor idle"));
});

test("a device that does not answer: no-answer; one that refuses is stopped and its code is passed on", async (t) => {
  const { motor, control } = await withMotor(await openWorkbench(t, { ackMs: 1_000 }));
  await control.take("m1", ADA, { takeOver: false });
  control.arm("m1", ADA);
  motor.isMute = true;
  assert.equal((await control.command(MOTOR, spin(5), ADA)).code, "no-answer");
  motor.isMute = false;
  motor.refuses = "latched";
  assert.equal((await control.command(MOTOR, spin(6), ADA)).code, "latched");
  await until("stopped", () => motor.wanted === 0 && motor.log.at(-1) === "motor idle");
});

test("a lost device: arming ends, the lease stays; when it comes back it is stopped first", async (t) => {
  const { motor, control, model } = await withMotor(await openWorkbench(t));
  await control.take("m1", ADA, { takeOver: false });
  control.arm("m1", ADA);
  await control.command(MOTOR, spin(5), ADA);
  motor.log.length = 0;
  motor.vanish();
  await until("lost", () => model.device("m1")?.state === "lost");
  const { lease, isArmed, isMoving } = model.device("m1") ?? {};
  assert.deepEqual([lease?.holder.user, isArmed, isMoving], ["Ada", false, false]);
  assert.equal((await control.command(MOTOR, spin(5), ADA)).code, "device-lost");
  await until("back", () => model.device("m1")?.state === "ready" && motor.log.includes("motor idle"));
  assert.equal((await control.command(MOTOR, spin(5), ADA)).code, "not-armed");
});

test("rails are cut in reverse order of switching on, kept ones stay; lamps keep their state", async (t) => {
  const bench = await openWorkbench(t);
  bench.settings.set("m1", { kept: ["logic"] });
  const capabilities = [rail("logic"), rail("r12"), rail("r24"), rail("r48"), lamp];
  const { motor, control } = await withMotor(bench, capabilities);
  await control.take("m1", ADA, { takeOver: false });
  control.arm("m1", ADA);
  for (const capability of ["logic", "r24", "r12"]) {
    assert.equal((await control.command({ device: "m1", capability }, { name: "on", params: {} }, ADA)).ok, true);
  }
  motor.log.length = 0;
  const { devices } = await control.stop(ADA);
  assert.equal(devices.m1?.ok, true);
  assert.deepEqual(
    motor.log.filter((what) => what.endsWith("off")),
    ["r12 off", "r24 off", "r48 off"],
  );
  assert.equal(motor.log.length, 4, "and the motor");
  const lit = await control.command({ device: "m1", capability: "lamp" }, { name: "set", params: { on: true } }, EVE);
  assert.equal(lit.ok, true, "a lamp needs neither lease nor arming, also while stopped");
  const on = { name: "on", params: {} };
  assert.equal((await control.command({ device: "m1", capability: "r12" }, on, ADA)).code, "stopped");
  const off = { name: "off", params: {} };
  assert.equal((await control.command({ device: "m1", capability: "logic" }, off, EVE)).ok, true, "off needs no lease");
});

test("what is refused is named: limits, fields, numbers, commands and devices; a viewer may only stop", async (t) => {
  const { control, motor } = await withMotor(await openWorkbench(t), [lamp]);
  await control.take("m1", ADA, { takeOver: false });
  control.arm("m1", ADA);
  const { field, limits, code } = await control.command(MOTOR, spin(99), ADA);
  assert.deepEqual([code, field, limits], ["out-of-limits", "velocity_rad_s", [-20, 20]]);
  assert.equal((await control.command(MOTOR, spin(Number.NaN), ADA)).code, "not-a-number");
  const other = { name: "velocity", params: { velocity_rad_s: 1, boost: 2 } };
  assert.deepEqual((await control.command(MOTOR, other, ADA)).field, "boost");
  for (const name of ["fly", "toString", "__proto__"]) {
    assert.equal((await control.command(MOTOR, { name, params: {} }, ADA)).code, "unsupported", name);
  }
  assert.equal((await control.command({ ...MOTOR, device: "m9" }, spin(1), ADA)).code, "device-unknown");
  assert.equal((await control.take("m9", ADA, { takeOver: false })).code, "device-unknown");
  const viewer = { ...EVE, mayOnlyStop: true };
  const lampSet = { name: "set", params: { on: false } };
  assert.equal((await control.command({ device: "m1", capability: "lamp" }, lampSet, viewer)).code, "denied");
  assert.equal((await control.command(MOTOR, { name: "idle", params: {} }, viewer)).ok, true);
  assert.deepEqual(motor.log, ["motor idle"], "nothing else was sent");
});

test("a capability that vanishes ends the lease", async (t) => {
  const { control, model, motor } = await withMotor(await openWorkbench(t));
  await control.take("m1", ADA, { takeOver: false });
  assert.ok(model.device("m1")?.lease);
  await motor.describe([lamp]);
  await until("it is free", () => model.device("m1")?.lease === undefined);
});

test("a flood of commands is refused without filling the log, and a flood of stops is few messages", async (t) => {
  const { control, lines, motor } = await withMotor(await openWorkbench(t));
  await control.take("m1", ADA, { takeOver: false });
  control.arm("m1", ADA);
  const acks = await Promise.all(Array.from({ length: 200 }, (_, i) => control.command(MOTOR, spin(i / 50), ADA)));
  assert.ok(acks.filter(({ code }) => code === "too-many").length >= 100);
  assert.ok(lines.filter((line) => line.includes("(too-many)")).length <= 5);
  await control.release("m1", ADA);
  motor.log.length = 0;
  await Promise.all(Array.from({ length: 100 }, () => control.stop(EVE)));
  assert.ok(motor.log.length > 0 && motor.log.length < 50, String(motor.log.length));
});

test("a database that is away delays no stop, and gets it when it is back", async (t) => {
  const bench = await openWorkbench(t);
  const motor = await bench.addMotor("m1");
  let isAway = true;
  const write: typeof bench.stops.write = async (...row) => {
    if (isAway) throw new Error("away");
    await bench.stops.write(...row);
  };
  const { control, isReady, faults } = await bench.openHub({ stops: { ...bench.stops, write } });
  await isReady("m1");
  const stopping = control.stop(ADA);
  await until("it has stopped", () => motor.log.includes("motor idle"));
  assert.equal((await stopping).devices.m1?.ok, true);
  isAway = false;
  await until("it is written", async () => (await bench.stops.read("bench"))?.by === "Ada");
  assert.ok(faults.length > 0);
  faults.length = 0;
});

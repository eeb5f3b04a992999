import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../../../../scripts/testing/until.ts";
import { openSourceForTest } from "../source-under-test.suite.ts";

const OPEN = { kind: "dynamixel", settings: { servos: 8 } };

test("servos on one line are found with their travel, and take a pose together in the time that was asked", async (t) => {
  const { model, ready, command, simulator } = await openSourceForTest(t, OPEN);
  await ready();
  const device = model.device("bench");
  assert.deepEqual([device?.maker, device?.model, device?.firmware], ["Robotis", "Dynamixel XL430-W250", "52"]);
  const [servos] = device?.capabilities ?? [];
  assert.deepEqual([servos?.kind, servos?.commands.pose?.effect], ["servo", "moves"]);
  const { properties = {} } = servos?.commands.pose?.params ?? {};
  assert.deepEqual((properties as Record<string, unknown>).servo7_deg, { type: "number", minimum: 0, maximum: 69.96 });
  const ack = await command("servos", "pose", { servo1_deg: 40, servo4_deg: 70, over_s: 0.3 });
  assert.deepEqual([ack.ok, ack.reached], [true, undefined], ack.detail);
  const now = simulator.read("servos");
  assert.ok(Math.abs(Number(now.base_turn_deg) - 40) < 2 && Math.abs(Number(now.elbow_deg) - 70) < 2);
  assert.ok(Math.abs(Number(now.wrist_tilt_deg) + 28) < 1, "others stay where they are");
  await until("it is measured", () => {
    const values = model.last("bench", "servos")?.values;
    return values !== undefined && Object.keys(values).length > 0;
  });
  const seen = Object.assign({}, ...model.kept("bench", "servos", 0).map(({ values }) => values));
  assert.ok(Math.abs(seen.servo1_deg - 40) < 2 && Math.abs(seen.servo1_target_deg - 40) < 0.1);
  assert.ok(seen.voltage_v > 11 && seen.servo4_load_pct > 30 && seen.servo4_c > 25);
});

test("a stop holds the servos where they are, and ends the pose that waits", async (t) => {
  const { ready, command, simulator, source } = await openSourceForTest(t, OPEN);
  await ready();
  assert.equal((await command("servos", "torque", { on: true })).ok, true);
  const moving = command("servos", "pose", { servo1_deg: -140, over_s: 3 });
  await until("it moves", () => Math.abs(Number(simulator.read("servos").base_turn_deg) - 34) > 10);
  const stopped = await source.stop("bench");
  assert.deepEqual([stopped.ok, (await moving).code], [true, "stopped"], stopped.detail);
  const at = Number(simulator.read("servos").base_turn_deg);
  assert.ok(at > -130, "it did not go on");
  assert.ok(Math.abs(Number(simulator.read("servos").base_turn_target_deg) - at) < 2);
});

test("without torque a pose is refused with what to do, and a servo that failed says why", async (t) => {
  const { model, ready, command, simulator } = await openSourceForTest(t, OPEN);
  await ready();
  assert.equal((await command("servos", "torque", { on: false })).ok, true);
  const limp = await command("servos", "pose", { servo2_deg: 0 });
  assert.deepEqual([limp.code, limp.detail], ["denied", "The torque of servo 2 is off. Switch it on first."]);
  simulator.tell("error3", 0x20);
  await until(
    "it is shown",
    () => model.device("bench")?.alerts.some(({ text }) => /Servo 3.*overload/.test(text)) === true,
  );
});

test("a line that is cut stops what moves by the servos' own watchdog; when it is back, poses are taken again", async (t) => {
  const { model, ready, isReady, command, simulator } = await openSourceForTest(t, OPEN);
  await ready();
  assert.equal((await command("servos", "torque", { on: true })).ok, true);
  const moving = command("servos", "pose", { servo1_deg: -140, over_s: 20 });
  await until("it has the pose", () => simulator.witnessed().some(({ params }) => Number(params.deg) < -139));
  simulator.setFault("lost", true);
  assert.equal((await moving).code, "device-lost");
  await until("the watchdog ends it", () => simulator.witnessed().some(({ what }) => what === "watchdog"));
  assert.equal(model.device("bench")?.state, "lost");
  simulator.setFault("lost", false);
  await until("it is back", isReady);
  await until("it moves again", async () => (await command("servos", "pose", { servo1_deg: 30, over_s: 0.2 })).ok);
});

test("servos that only pretend have not reached the pose, and an id that nobody has is named", async (t) => {
  const { ready, command, simulator } = await openSourceForTest(t, OPEN);
  await ready();
  assert.equal((await command("servos", "torque", { on: true })).ok, true);
  simulator.setFault("lying", true);
  const ack = await command("servos", "pose", { servo1_deg: -100 });
  assert.deepEqual([ack.ok, ack.reached], [true, false]);
  const more = await openSourceForTest(t, { kind: "dynamixel", settings: { servos: 9 } });
  await until("it says which", () => /Servo 9 did not answer/.test(more.source.status().reason ?? ""));
});

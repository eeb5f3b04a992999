import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../../../../scripts/testing/until.ts";
import { openSourceForTest } from "../source-under-test.suite.ts";

test("a VESC is a speed controller: it follows its throttle while it is fed, and is released by a stop", async (t) => {
  const { model, ready, command, simulator, source } = await openSourceForTest(t, { kind: "vesc" });
  await ready();
  const device = model.device("bench");
  assert.deepEqual([device?.maker, device?.model, device?.firmware], ["VESC", "60", "6.02"]);
  const [esc] = device?.capabilities ?? [];
  assert.deepEqual([esc?.kind, esc?.commands.throttle?.effect], ["speed-controller", "moves"]);
  const throttle = () => command("esc", "throttle", { throttle_pct: 25 }, "same");
  const first = throttle();
  const feeding = setInterval(() => void throttle(), 100);
  t.after(() => clearInterval(feeding));
  const ack = await first;
  assert.deepEqual([ack.ok, ack.reached], [true, undefined], ack.detail);
  const values = () => model.last("bench", "esc")?.values ?? {};
  await until("it turns", () => Math.abs(Number(values().throttle_pct) - 25) < 2 && Number(values().erpm) > 3_000);
  assert.ok(Math.abs(Number(values().voltage_v) - 24) < 1 && Number(values().current_a) > 0);
  clearInterval(feeding);
  assert.equal((await source.stop("bench")).ok, true);
  await until("it runs out", () => Math.abs(Number(simulator.read("motor").velocity_rad_s)) < 25);
  assert.ok(!simulator.witnessed().some(({ what }) => what === "watchdog"));
});

test("with pole pairs it is a motor, in both directions and within its limit", async (t) => {
  const settings = { polePairs: 7, maxErpm: 5_000 };
  const { model, ready, command, simulator } = await openSourceForTest(t, { kind: "vesc", settings });
  await ready();
  const [motor] = model.device("bench")?.capabilities ?? [];
  assert.equal(motor?.kind, "motor");
  assert.deepEqual(motor?.commands.velocity?.params.properties, {
    velocity_rad_s: { type: "number", minimum: -74.799, maximum: 74.799 },
  });
  assert.equal((await command("motor", "velocity", { velocity_rad_s: -30 })).ok, true);
  assert.ok(Math.abs(Number(simulator.read("motor").velocity_rad_s) + 30) < 4);
  assert.ok(Math.abs(Number(model.last("bench", "motor")?.values.velocity_rad_s) + 30) < 4);
  assert.equal((await command("motor", "idle")).ok, true);
});

test("a VESC that is no longer fed releases the motor by itself, and a stop ends a command that waits", async (t) => {
  const { ready, command, simulator, source } = await openSourceForTest(t, { kind: "vesc" });
  await ready();
  const moving = command("esc", "throttle", { throttle_pct: 80 });
  const stopping = source.stop("bench");
  assert.deepEqual([(await stopping).ok, (await moving).code], [true, "stopped"]);
  assert.equal(simulator.witnessed().at(-1)?.name, "current");
  await command("esc", "throttle", { throttle_pct: 10 });
  await until("its time-out ends it", () => simulator.witnessed().some(({ what }) => what === "watchdog"));
});

test("a VESC that only pretends has not reached it, and one that is silent is lost and comes back", async (t) => {
  const { model, ready, isReady, command, simulator, statuses } = await openSourceForTest(t, { kind: "vesc" });
  await ready();
  simulator.setFault("lying", true);
  const ack = await command("esc", "throttle", { throttle_pct: 50 });
  assert.deepEqual([ack.ok, ack.reached], [true, false]);
  simulator.setFault("lying", false);
  simulator.setFault("bad-json", true);
  await until("it is lost", () => model.device("bench")?.state === "lost");
  assert.match(statuses.at(-1)?.reason ?? "", /did not answer within 1 s/);
  assert.equal((await command("esc", "throttle", { throttle_pct: 1 })).code, "device-lost");
  simulator.setFault("bad-json", false);
  await until("it is back", isReady);
});

test("a fault of the controller is an alert, and what failed is not started again by being told again", async (t) => {
  const { model, ready, command, simulator } = await openSourceForTest(t, { kind: "vesc" });
  await ready();
  const throttle = () => command("esc", "throttle", { throttle_pct: 10 }, "same");
  assert.equal((await throttle()).ok, true);
  simulator.tell("fault", 2);
  await until(
    "it is shown",
    () => model.device("bench")?.alerts.some(({ text }) => /under voltage/.test(text)) === true,
  );
  simulator.tell("fault", 0);
  await until("it is gone", () => model.device("bench")?.alerts.length === 0);
  assert.equal((await throttle()).code, "denied");
  assert.equal((await command("esc", "throttle", { throttle_pct: 10 })).ok, true);
});

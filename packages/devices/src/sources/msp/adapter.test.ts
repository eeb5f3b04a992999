import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../../../../scripts/testing/until.ts";
import { openSourceForTest } from "../source-under-test.suite.ts";

test("the motors of a flight controller are driven one by one, and all of them are stopped at once", async (t) => {
  const { model, ready, command, simulator, source } = await openSourceForTest(t, { kind: "msp" });
  await ready();
  const device = model.device("bench");
  assert.deepEqual([device?.model, device?.firmware, device?.capabilities.length], ["BTFL", "4.5.1", 4]);
  assert.deepEqual(
    device?.alerts.map(({ text }) => text),
    ["It has no watchdog: motors go on if the connection breaks."],
  );
  for (const motor of ["motor1", "motor3"]) {
    const ack = await command(motor, "throttle", { throttle_pct: 40 });
    assert.deepEqual([ack.ok, ack.reached], [true, undefined], ack.detail);
  }
  const values = (motor: string) => model.last("bench", motor)?.values ?? {};
  await until("both turn", () => Number(values("motor1").erpm) > 20_000 && Number(values("motor3").erpm) > 20_000);
  assert.equal(values("motor1").throttle_pct, 40);
  await until("the current is measured", () => {
    const { current_a, voltage_v } = values("motor1");
    return Number(current_a) > 1 && Number(voltage_v) > 14;
  });
  assert.equal(values("motor2").erpm, 0);
  assert.equal((await source.stop("bench")).ok, true);
  assert.deepEqual(simulator.witnessed().at(-1)?.params, { motors: [1_000, 1_000, 1_000, 1_000] });
  assert.equal(simulator.read("esc").throttle_pct, 0);
});

test("a stop overtakes a throttle that waits; one that is armed, or pretends, is refused with the reason", async (t) => {
  const { ready, command, simulator, source } = await openSourceForTest(t, { kind: "msp" });
  await ready();
  simulator.setFault("lying", true);
  const moving = command("motor1", "throttle", { throttle_pct: 10 });
  simulator.setFault("lying", false);
  const stopping = source.stop("bench");
  assert.deepEqual([(await stopping).ok, (await moving).code], [true, "stopped"]);
  simulator.setFault("lying", true);
  assert.equal((await command("motor1", "throttle", { throttle_pct: 10 })).code, "no-answer");
  simulator.setFault("lying", false);
  simulator.tell("armed", true);
  await until("it is known", async () =>
    /Disarm it first/.test((await command("motor1", "throttle", { throttle_pct: 1 })).detail ?? ""),
  );
});

test("motors that turn both ways are shown and not driven; a controller that is silent is lost and comes back", async (t) => {
  const { model, ready, isReady, simulator } = await openSourceForTest(t, { kind: "msp" });
  await ready();
  simulator.tell("3d", true);
  simulator.setFault("silent", true);
  await until("it is lost", () => model.device("bench")?.state === "lost");
  simulator.setFault("silent", false);
  await until("it is back", isReady);
  assert.deepEqual(model.device("bench")?.capabilities[0]?.commands, {});
  assert.ok(model.device("bench")?.alerts.some(({ text }) => /\(3D\)/.test(text)));
});

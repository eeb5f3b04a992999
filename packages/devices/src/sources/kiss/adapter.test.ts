import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../../../../scripts/testing/until.ts";
import { openSourceForTest } from "../source-under-test.suite.ts";

test("telemetry of a speed controller is shown, and it is told nothing", async (t) => {
  const { model, ready, command, simulator } = await openSourceForTest(t, { kind: "kiss" });
  await ready();
  const [esc] = model.device("bench")?.capabilities ?? [];
  assert.deepEqual([esc?.kind, esc?.commands], ["speed-controller", {}]);
  simulator.tell("throttle_pct", 50);
  const values = () => model.last("bench", "esc")?.values ?? {};
  await until(
    "it turns",
    () =>
      Math.abs(Number(values().erpm) - Number(simulator.read("esc").erpm)) < 1_000 && Number(values().erpm) > 30_000,
  );
  assert.ok(Number(values().voltage_v) > 14 && Number(values().current_a) > 1);
  assert.equal((await command("esc", "throttle", { throttle_pct: 1 })).code, "unsupported");
});

test("noise is counted, and a controller that sends nothing more is lost with the reason", async (t) => {
  const { model, ready, isReady, simulator, statuses } = await openSourceForTest(t, { kind: "kiss" });
  await ready();
  simulator.tell("noise", true);
  await until("noise is counted", () => Number(model.last("bench", "esc")?.values.bad_frames) > 2);
  assert.equal(model.device("bench")?.state, "ready", "frames between the noise are read");
  simulator.setFault("silent", true);
  await until("it is lost", () => model.device("bench")?.state === "lost");
  assert.match(statuses.at(-1)?.reason ?? "", /sends no telemetry/);
  simulator.setFault("silent", false);
  await until("it is back", isReady);
});

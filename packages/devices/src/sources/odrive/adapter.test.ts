import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import { until } from "../../../../../scripts/testing/until.ts";
import { openSourceForTest } from "../source-under-test.suite.ts";

const velocityOf = (values: { velocity_rad_s?: unknown } | undefined) => Number(values?.velocity_rad_s ?? Number.NaN);

test("an ODrive is found with its limits, measures, and turns as fast as it is told", async (t) => {
  const { model, ready, command, simulator, source } = await openSourceForTest(t, { kind: "odrive" });
  await ready();
  const device = model.device("bench");
  assert.equal(device?.source, "odrive:bench");
  assert.deepEqual([device?.model, device?.firmware], ["ODrive v3.6", "0.5.6"]);
  const [axis] = device?.capabilities ?? [];
  assert.equal(axis?.kind, "motor");
  assert.equal(axis?.commands.velocity?.effect, "moves");
  assert.deepEqual(axis?.commands.velocity?.params.properties, {
    velocity_rad_s: { type: "number", minimum: -188.496, maximum: 188.496 },
  });
  assert.deepEqual(source.status(), { state: "connected" });
  const ack = await command("axis0", "velocity", { velocity_rad_s: 20 }, "same");
  assert.equal(ack.ok, true, ack.detail);
  const feeding = setInterval(() => void command("axis0", "velocity", { velocity_rad_s: 20 }, "same"), 100);
  t.after(() => clearInterval(feeding));
  await until("it turns", () => Math.abs(velocityOf(model.last("bench", "axis0")?.values) - 20) < 1);
  assert.ok(Math.abs(velocityOf(simulator.read("motor")) - 20) < 1);
  await until("slow values come, too", () =>
    model
      .kept("bench", "axis0", 0)
      .some(({ values }) => typeof values.motor_c === "number" && Number(values.bus_voltage_v) > 20),
  );
  clearInterval(feeding);
  const stopped = await source.stop("bench");
  assert.equal(stopped.ok, true, stopped.detail);
  await until("it stands", () => Math.abs(velocityOf(simulator.read("motor"))) < 1);
});

test("a stop overtakes what is asked, and a repeated setpoint after it is not told again by itself", async (t) => {
  const { ready, command, simulator, source } = await openSourceForTest(t, { kind: "odrive" });
  await ready();
  const moving = command("axis0", "velocity", { velocity_rad_s: 10 });
  const stopping = source.stop("bench");
  assert.deepEqual([(await stopping).ok, (await moving).code], [true, "stopped"]);
  assert.equal(simulator.witnessed().at(-1)?.name, "idle");
});

test("a drive that is no longer fed stops by itself, says why, and moves again after its errors are cleared", async (t) => {
  const { model, ready, command, simulator } = await openSourceForTest(t, { kind: "odrive" });
  await ready();
  assert.equal((await command("axis0", "velocity", { velocity_rad_s: 10 }, "first")).ok, true);
  await until("its watchdog ends it", () => simulator.witnessed().some(({ what }) => what === "watchdog"));
  await until(
    "the error is shown",
    () => model.device("bench")?.alerts.some(({ text }) => text.includes("0x800")) === true,
  );
  const again = await command("axis0", "velocity", { velocity_rad_s: 10 }, "first");
  assert.equal(again.code, "denied");
  const refused = await command("axis0", "velocity", { velocity_rad_s: 10 });
  assert.equal(refused.code, "denied", refused.detail);
  assert.equal((await command("axis0", "clear_errors")).ok, true);
  assert.equal((await command("axis0", "velocity", { velocity_rad_s: 10 })).ok, true);
});

test("a drive that is silent is lost within two seconds, and is back when it answers", async (t) => {
  const { model, ready, isReady, simulator, statuses, command } = await openSourceForTest(t, { kind: "odrive" });
  await ready();
  const fromMs = performance.now();
  simulator.setFault("silent", true);
  await until("it is lost", () => model.device("bench")?.state === "lost");
  assert.ok(performance.now() - fromMs < 2 * DEVICES_LIMITS.sourceAnswerMs + 1_000);
  assert.match(statuses.at(-1)?.reason ?? "", /did not answer within 1 s/);
  assert.equal((await command("axis0", "velocity", { velocity_rad_s: 1 })).code, "device-lost");
  simulator.setFault("silent", false);
  await until("it is back", isReady);
});

test("a drive that only says that it does what it is told does not turn", async (t) => {
  const { model, ready, command, simulator } = await openSourceForTest(t, { kind: "odrive" });
  await ready();
  simulator.setFault("lying", true);
  assert.equal((await command("axis0", "velocity", { velocity_rad_s: 10 })).ok, true);
  await until("it is measured", () => model.last("bench", "axis0")?.values.target_rad_s === 10);
  assert.ok(Math.abs(velocityOf(model.last("bench", "axis0")?.values)) < 1);
});

test("what is not there, or does not speak ODrive, is refused with the reason", async (t) => {
  const absent = await openSourceForTest(t, { kind: "odrive", simulate: false });
  await until("it is refused", () => absent.source.status().state === "refused");
  assert.match(absent.source.status().reason ?? "", /Nothing listens at 127\.0\.0\.1:\d+\. Start the device/);
  const other = createServer((socket) => socket.on("error", () => {}).end("220 mail.example ESMTP\r\n"));
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  t.after(() => other.close());
  const { port } = other.address() as { port: number };
  const wrong = await openSourceForTest(t, { kind: "odrive", settings: { port } });
  await until("it is refused", () => wrong.source.status().state === "refused");
  assert.match(wrong.source.status().reason ?? "", /not an ODrive|closed the connection|broke the connection/);
  const port22 = await openSourceForTest(t, { kind: "odrive", settings: { port: 22 } });
  await until("it is refused", () => port22.source.status().state === "refused");
  assert.match(port22.source.status().reason ?? "", /Port 22 is for other services/);
  const denied = await openSourceForTest(t, { kind: "odrive", settings: { host: "10.0.0.1" } });
  await until("it is refused", () => denied.source.status().state === "refused");
  assert.match(denied.source.status().reason ?? "", /DEVICES_ALLOW/);
});

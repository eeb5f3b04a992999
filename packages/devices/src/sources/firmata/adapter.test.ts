import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../../../../scripts/testing/until.ts";
import { openSourceForTest } from "../source-under-test.suite.ts";

const OPEN = { kind: "firmata", settings: { volts: 3.3 } };

test("a board says what its pins can do, and shows inputs, levels and volts", async (t) => {
  const { model, ready, simulator } = await openSourceForTest(t, OPEN);
  await ready();
  const device = model.device("bench");
  assert.deepEqual([device?.model, device?.firmware], ["StandardFirmata", "2.5"]);
  const [pins] = device?.capabilities ?? [];
  assert.deepEqual([pins?.kind, pins?.commands.write?.effect], ["gpio", "powers"]);
  assert.deepEqual(pins?.fields.a0_v, { datatype: "number", unit: "V", min: 0, max: 3.3 });
  const values = () => model.last("bench", "pins")?.values ?? {};
  await until("an input is low, the fan runs, and volts are measured", () => {
    const { d4, d18_pct: fan, a0_v: volts } = values();
    return d4 === false && Math.abs(Number(fan) - 35) < 1 && Math.abs(Number(volts) - 1.8) < 0.5;
  });
  simulator.tell("gpio4", true);
  await until("the input is high", () => values().d4 === true);
});

test("pins are set, and believed when the board says so; a pulse goes back by itself; off is low", async (t) => {
  const { ready, command, simulator } = await openSourceForTest(t, OPEN);
  await ready();
  assert.equal((await command("pins", "write", { pin: "d27", high: true })).ok, true);
  assert.equal(simulator.read("pins").gpio27, true);
  assert.equal((await command("pins", "pwm", { pin: "d18", duty_pct: 80 })).ok, true);
  assert.ok(Math.abs(Number(simulator.read("pins").gpio18_pct) - 80) < 0.5);
  const accepted: boolean[] = [];
  const pulse = command("pins", "pulse", { pin: "d22", high: true, ms: 100 }).then((ack) => accepted.push(ack.ok));
  await until("it is high", () => simulator.read("pins").gpio22 === true);
  await pulse;
  assert.deepEqual([simulator.read("pins").gpio22, accepted], [false, [true]]);
  const early = command("pins", "pulse", { pin: "d22", high: true, ms: 5_000 });
  await until("it is high again", () => simulator.read("pins").gpio22 === true);
  assert.equal((await command("pins", "off")).ok, true);
  const { gpio22, gpio27, gpio18_pct } = simulator.read("pins");
  assert.deepEqual([gpio22, gpio27, gpio18_pct], [false, false, 0]);
  void early;
});

test("a pin in another mode, a mode that it does not have and a board that pretends are refused with the reason", async (t) => {
  const { model, ready, command, simulator } = await openSourceForTest(t, OPEN);
  await ready();
  const wrong = await command("pins", "write", { pin: "d4", high: true });
  assert.deepEqual([wrong.code, wrong.detail], ["denied", "d4 is not in mode out. Set its mode first."]);
  const cannot = await command("pins", "mode", { pin: "d4", mode: "adc" });
  assert.deepEqual([cannot.code, cannot.detail], ["denied", "d4 has the modes in, out, pwm."]);
  assert.equal((await command("pins", "mode", { pin: "d4", mode: "out" })).ok, true);
  assert.equal((await command("pins", "write", { pin: "d4", high: true })).ok, true);
  simulator.setFault("lying", true);
  assert.equal((await command("pins", "write", { pin: "d4", high: false })).code, "denied");
  assert.equal(model.last("bench", "pins")?.values.d4, true, "it shows what is there");
});

test("a board that is silent is lost, and is back when it answers", async (t) => {
  const { model, ready, isReady, simulator, statuses } = await openSourceForTest(t, OPEN);
  await ready();
  simulator.setFault("silent", true);
  await until("it is lost", () => model.device("bench")?.state === "lost");
  assert.match(statuses.at(-1)?.reason ?? "", /did not answer within 1 s/);
  simulator.setFault("silent", false);
  await until("it is back", isReady);
});

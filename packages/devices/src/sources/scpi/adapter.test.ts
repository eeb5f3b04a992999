import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../../../../scripts/testing/until.ts";
import { openSourceForTest } from "../source-under-test.suite.ts";

const OPEN = { kind: "scpi", settings: { outputs: 2 } };

test("a supply says who it is, switches its outputs, and measures them", async (t) => {
  const { model, ready, command, simulator } = await openSourceForTest(t, OPEN);
  await ready();
  const device = model.device("bench");
  assert.deepEqual([device?.maker, device?.model, device?.firmware], ["RIGOL TECHNOLOGIES", "DP832", "00.01.16"]);
  assert.deepEqual(
    device?.capabilities.map(({ id, kind, commands }) => [id, kind, commands.on?.effect]),
    [
      ["ch1", "workcell-power", "powers"],
      ["ch2", "workcell-power", "powers"],
    ],
  );
  const ack = await command("ch1", "on");
  assert.equal(ack.ok, true, ack.detail);
  assert.equal(simulator.read("ch1").on, true);
  assert.equal(simulator.read("ch2").on, false);
  await until("its voltage is measured", () => Number(model.last("bench", "ch1")?.values.voltage_v) > 11.9);
  await until("and its current", () => Math.abs(Number(model.last("bench", "ch1")?.values.current_a) - 0.5) < 0.05);
  assert.equal((await command("ch1", "off")).ok, true);
  assert.equal(simulator.read("ch1").on, false);
});

test("a current limit gives the voltage way, and one that is too high is the instrument's own error", async (t) => {
  const { model, ready, command } = await openSourceForTest(t, OPEN);
  await ready();
  assert.deepEqual(model.device("bench")?.capabilities[0]?.commands.limit?.params.properties, {
    limit_a: { type: "number", minimum: 0, maximum: 3 },
  });
  assert.equal((await command("ch1", "limit", { limit_a: 0.25 })).ok, true);
  assert.equal((await command("ch1", "on")).ok, true);
  await until("it is at its limit", () => Math.abs(Number(model.last("bench", "ch1")?.values.voltage_v) - 6) < 0.1);
  const refused = await command("ch1", "limit", { limit_a: 30 });
  assert.deepEqual([refused.code, refused.detail], ["denied", "The instrument says: Data out of range (-222)"]);
  assert.equal((await command("ch1", "limit", { limit_a: 1 })).ok, true, "the error was read with its command");
});

test("a supply that only says that it did it is not believed", async (t) => {
  const { ready, command, simulator } = await openSourceForTest(t, OPEN);
  await ready();
  simulator.setFault("lying", true);
  assert.deepEqual((await command("ch1", "on")).code, "denied");
});

test("a supply that sends nonsense, or nothing, is lost with the reason, and is back", async (t) => {
  const { model, ready, isReady, simulator, statuses, source } = await openSourceForTest(t, OPEN);
  await ready();
  simulator.setFault("bad-json", true);
  await until("what it sends is refused", () => model.refused() > 0);
  simulator.setFault("bad-json", false);
  simulator.setFault("silent", true);
  await until("it is lost", () => model.device("bench")?.state === "lost");
  assert.match(statuses.at(-1)?.reason ?? "", /did not answer/);
  assert.equal((await source.command("bench", "ch1", { id: "1", name: "off", params: {} })).code, "device-lost");
  simulator.setFault("silent", false);
  await until("it is back", isReady);
});

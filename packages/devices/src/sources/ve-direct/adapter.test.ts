import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../../../../scripts/testing/until.ts";
import { openSourceForTest } from "../source-under-test.suite.ts";
import { fieldsOf, sampleOf } from "./charger.ts";

const OPEN = { kind: "ve-direct" };

test("a charger says what it is, and what it measures in our units", async (t) => {
  const { model, ready, simulator } = await openSourceForTest(t, OPEN);
  await ready();
  const device = model.device("bench");
  assert.deepEqual([device?.maker, device?.model, device?.firmware], ["Victron", "0xA340", "0342"]);
  assert.deepEqual(
    device?.capabilities.map(({ id, kind, commands }) => [id, kind, Object.keys(commands)]),
    [["charger", "battery-charger", []]],
  );
  const last = () => model.last("bench", "charger")?.values ?? {};
  await until("its voltage", () => Math.abs(Number(last().pack_v) - Number(simulator.read("charger").pack_v)) < 0.01);
  assert.deepEqual([last().current_a, last().state, last().fault], [0, "off", ""]);
  assert.ok(Math.abs(Number(last().soc_pct) - 42) < 0.2);
});

test("it is not told anything: commands are refused, and a stop has nothing to do", async (t) => {
  const { ready, command, source, simulator } = await openSourceForTest(t, OPEN);
  await ready();
  assert.equal((await command("charger", "start", { current_a: 1 })).code, "unsupported");
  assert.equal((await source.stop("bench")).ok, true);
  assert.deepEqual(simulator.witnessed(), []);
});

test("a connection that breaks is opened again", async (t) => {
  const { ready, isReady, simulator } = await openSourceForTest(t, OPEN);
  await ready();
  simulator.setFault("lost", true);
  await until("it is lost", () => !isReady());
  simulator.setFault("lost", false);
  await ready();
});

test("published blocks of a battery monitor and a solar charger", () => {
  const monitor = [
    ...[["PID", "0xA381"] as const, ["V", "12341"] as const, ["T", "---"] as const, ["I", "-1500"] as const],
    ...[["P", "-19"] as const, ["CE", "-1200"] as const, ["SOC", "876"] as const, ["BMV", "712 Smart"] as const],
  ];
  assert.deepEqual(sampleOf(monitor), {
    values: { pack_v: 12.341, current_a: -1.5, power_w: -19, consumed_mah: -1_200, soc_pct: 87.6 },
    wrong: [],
  });
  const solar = [["V", "12790"] as const, ["I", "800"] as const, ["VPV", "38870"] as const, ["PPV", "13"] as const];
  const states = [["CS", "3"] as const, ["ERR", "2"] as const, ["LOAD", "ON"] as const];
  assert.deepEqual(sampleOf([...solar, ...states]).values, {
    ...{ pack_v: 12.79, current_a: 0.8, panel_v: 38.87, panel_w: 13, state: "bulk" },
    fault: "the battery voltage is too high",
  });
  assert.deepEqual(Object.keys(fieldsOf([...solar, ...states])), [
    ...["pack_v", "current_a", "panel_v", "panel_w", "state", "fault"],
  ]);
  assert.deepEqual(
    sampleOf([
      ["V", "NaN"],
      ["CS", "constructor"],
      ["ERR", "999"],
      ["__proto__", "1"],
    ]),
    {
      values: { fault: "error 999" },
      wrong: ["V", "CS"],
    },
  );
});

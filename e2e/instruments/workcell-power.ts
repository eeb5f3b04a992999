import assert from "node:assert/strict";
import { pressIfThere } from "../support/browser.ts";
import { until } from "../support/processes.ts";
import type { InstrumentBench, SimulatedInstrument } from "./instrument.ts";

const field = ({ slot }: InstrumentBench, name: string) => slot.locator(`[data-field=${name}]`);
const rail = ({ slot }: InstrumentBench, id: string) => slot.locator(`[data-rail=${id}]`);
const isOn = ({ simulator }: InstrumentBench, id: string) => simulator.read("power")[`${id}_state`] === "on";

/** All rails in their order. */
const powerUp = async (bench: InstrumentBench) =>
  until(async () => {
    if (isOn(bench, "vacuum_pump")) return true;
    const start = bench.slot.getByRole("button", { name: "Power up in order" });
    if ((await start.count()) > 0) {
      await bench.arm();
      await pressIfThere(start);
    }
    return false;
  }, "all rails are on");

export const workcellPower: SimulatedInstrument = {
  panel: "workcell-power",
  simulator: "power",
  async shows(bench) {
    await rail(bench, "logic_5v").getByText("Off").waitFor();
    await bench.slot.locator("[data-by=logic_5v]", { hasText: "supply 1 ch 3" }).waitFor({ state: "attached" });
    await until(async () => (await field(bench, "logic_5v_v").innerText()) === "0.00 V", "0 V");
    await until(async () => (await field(bench, "guard_closed").innerText()).includes("yes"), "the guard is closed");
  },
  async commands(bench) {
    const { told, arm, slot } = bench;
    await until(async () => {
      const { logic_5v_state: state } = bench.simulator.read("power");
      if (state !== "off") return state === "on";
      await arm();
      await slot.getByRole("switch", { name: "5 V logic" }).press("Enter");
      return false;
    }, "the first rail is on");
    assert.deepEqual(told("on")[0], { rail: "logic_5v" });
    await slot.locator(".command-row .done", { hasText: "reached" }).waitFor();
    await until(async () => (await field(bench, "logic_5v_v").innerText()) === "5.00 V", "5 V");
    await slot.getByRole("img", { name: /Inrush of 5 V logic: peak/ }).waitFor();
  },
  more: {
    async "rails come up in their order, wait for the guard, and Stop cuts them in reverse"(bench) {
      const { simulator, slot, arm, told, page } = bench;
      simulator.tell("guard_closed", false);
      await until(async () => (await field(bench, "guard_closed").innerText()).includes("no"), "the guard is open");
      const waits = slot.getByText("Waits for guard closed");
      await until(async () => {
        if ((await waits.count()) > 0) return true;
        await arm();
        const start = slot.getByRole("button", { name: "Power up in order" });
        await pressIfThere(start);
        return false;
      }, "it waits for the guard");
      assert.ok(!isOn(bench, "drives_24v"));
      simulator.tell("guard_closed", true);
      await powerUp(bench);
      const last = (id: string) =>
        simulator.witnessed().findLast(({ name, params }) => name === "on" && params.rail === id)?.atMs ?? 0;
      const order = ["sensors_12v", "drives_24v", "spindle_48v", "vacuum_pump"];
      assert.deepEqual(
        [...order].sort((a, b) => last(a) - last(b)),
        order,
      );
      // On a busy machine a rail may have been switched off before: its switch was pressed again while it came up.
      const before = told("off").length;
      await slot.getByRole("button", { name: "Stop", exact: true }).press("Enter");
      await until(() => told("off").length >= before + 5, "every rail was cut");
      const cut = told("off").slice(before, before + 4);
      assert.deepEqual(
        cut.map((params) => params.rail),
        [...order].reverse(),
      );
      await until(async () => (await rail(bench, "logic_5v").getByText("Off").count()) > 0, "the page shows it");
      const clear = page.getByRole("button", { name: "Clear the stop" });
      await until(async () => {
        await pressIfThere(clear);
        return (await slot.getByRole("button", { name: /^(Take control|Arm)$/ }).count()) > 0;
      }, "it can be controlled again");
    },
    async "a short ends the order with a fault"(bench) {
      const { simulator, slot, arm } = bench;
      simulator.tell("logic_5v_short", true);
      await until(async () => {
        if (simulator.read("power").logic_5v_state === "fault") return true;
        if (simulator.read("power").logic_5v_state === "rising") return false;
        await arm();
        await slot.getByRole("switch", { name: "5 V logic" }).press("Enter");
        return false;
      }, "the supply gives up");
      await rail(bench, "logic_5v").getByText("Fault").waitFor();
    },
  },
  picture: { act: powerUp },
};

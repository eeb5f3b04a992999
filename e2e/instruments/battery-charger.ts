import assert from "node:assert/strict";
import { until } from "../support/processes.ts";
import { type InstrumentBench, reading, type SimulatedInstrument } from "./instrument.ts";

const cell = ({ slot }: InstrumentBench, number: number) => slot.locator(`[data-cell="${number}"]`);
const amps = ({ simulator }: InstrumentBench) => Number(simulator.read("charger").current_a);

/** Control may have ended on a busy machine: then it is taken again. */
const start = async ({ slot, arm }: InstrumentBench, current: string, isDone: () => boolean | Promise<boolean>) => {
  await slot.getByLabel("Charge at").fill(current);
  await until(async () => {
    if (await isDone()) return true;
    await arm();
    await slot.getByRole("button", { name: "Start charging" }).press("Enter");
    return isDone();
  }, "it was asked to start");
};

export const batteryCharger: SimulatedInstrument = {
  panel: "battery-charger",
  simulator: "battery-charger",
  async shows(bench) {
    const { slot, simulator } = bench;
    simulator.tell("soc_pct", 71);
    await reading(slot, "Charge").getByText("71%").waitFor();
    await reading(slot, "Pack")
      .getByText(/^15\.9\dV$/)
      .waitFor();
    await cell(bench, 3)
      .getByText(/^3\.98\d V$/)
      .waitFor();
    // Nothing has flowed yet: what the cells resist is not known.
    await cell(bench, 3).getByText("– mΩ").waitFor();
  },
  async commands(bench) {
    const { slot, told, simulator } = bench;
    await start(bench, "5", () => told("start").length > 0);
    assert.deepEqual(told("start")[0], { current_a: 5 });
    await slot.locator(".command-row .done", { hasText: "reached" }).waitFor();
    assert.ok(amps(bench) > 4.8, String(amps(bench)));
    await cell(bench, 3).getByText("ages").waitFor();
    await slot.getByText(/^Cell 3 has 2\.\d times the inner resistance of the others/).waitFor();
    await reading(slot, "Current")
      .getByText(/^5\.00A$/)
      .waitFor();
    await slot.getByRole("button", { name: "Stop charging" }).press("Enter");
    await until(() => amps(bench) === 0 && told("stop").length > 0, "nothing flows");
    simulator.tell("soc_pct", 71);
  },
  more: {
    async "a charger that is too hot stops by itself, and a cell the wrong way round keeps it from starting"(bench) {
      const { slot, simulator, told } = bench;
      const before = told("start").length;
      await start(bench, "3", () => told("start").length > before);
      simulator.tell("temperature_c", 52);
      await slot
        .getByRole("alert")
        .getByText(/the pack has 52 °C, more than 45 °C/)
        .waitFor();
      simulator.tell("temperature_c", 25);
      simulator.tell("reversed_cell", 2);
      await cell(bench, 2)
        .getByText(/^−3\.9\d\d V$/)
        .waitFor();
      const isRefused = async () =>
        (await slot.locator(".command-row .bad", { hasText: "cell 2 has -3.9" }).count()) > 0;
      await start(bench, "3", isRefused);
      simulator.tell("reversed_cell", null);
    },
  },
  refuses: {
    ...{ capability: "charger", field: "current_a", limits: [0.1, 2] },
    act: (bench) =>
      start(bench, "4", async () => (await bench.slot.locator(".command-row", { hasText: "at most 2" }).count()) > 0),
  },
  picture: {
    async begin(bench) {
      bench.simulator.tell("soc_pct", 71);
      await bench.slot.getByRole("button", { name: "10 min" }).press("Enter");
      await start(bench, "3", () => bench.told("start").length > 0);
    },
    filledS: 90,
    act: ({ slot }) => reading(slot, "Full in").getByText(/\d/).waitFor(),
  },
};

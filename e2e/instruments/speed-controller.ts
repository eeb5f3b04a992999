import assert from "node:assert/strict";
import { until } from "../support/processes.ts";
import type { InstrumentBench, SimulatedInstrument } from "./instrument.ts";

const hold = ({ slot }: InstrumentBench) => slot.locator(".hold-button").first();
const amps = ({ simulator }: InstrumentBench) => Number(simulator.read("esc").current_a);

/** A sweep that ends at this current. */
async function sweepTo(bench: InstrumentBench, limitA: string): Promise<void> {
  const { slot, holdUntil, release } = bench;
  await slot.getByLabel("current, A").fill(limitA);
  const words = `: The current is over ${limitA} A`;
  const isOver = async () =>
    (await slot
      .getByText(/^Ended at \d+ %/)
      .filter({ hasText: words })
      .count()) > 0;
  await holdUntil(slot.locator(".hold-button").nth(1), isOver, "the sweep has ended at its limit");
  await until(() => amps(bench) === 0, "it stands still");
  await release();
}

export const speedController: SimulatedInstrument = {
  panel: "speed-controller",
  simulator: "speed-controller",
  async shows({ slot, simulator }) {
    const supply = slot.locator("[data-field=voltage_v]");
    await until(async () => {
      const shown = Number.parseFloat(await supply.innerText());
      return Math.abs(shown - Number(simulator.read("esc").voltage_v)) < 0.1;
    }, "the supply is shown");
    simulator.tell("temperature_c", 61);
    await until(
      async () => Math.abs(Number.parseFloat(await slot.locator("[data-field=temperature_c]").innerText()) - 61) < 4,
      "the heat is shown",
    );
    simulator.tell("temperature_c", 25);
  },
  async commands(bench) {
    const { slot, told, holdUntil, release } = bench;
    await holdUntil(hold(bench), () => amps(bench) > 0.3, "it spins");
    assert.deepEqual(told("throttle").at(-1), { throttle_pct: 10 });
    await slot.locator(".command-row .done", { hasText: "reached" }).waitFor();
    await release();
    await until(() => amps(bench) === 0 && told("stop").length > 0, "it stands still");
  },
  more: {
    async "settings are those that the controller has, and are shown as it says"(bench) {
      const { slot, page, simulator, told } = bench;
      const open = () => slot.getByRole("button", { name: "Settings", exact: true }).press("Enter");
      await open();
      const timing = page.getByLabel("Timing, °");
      await until(async () => (await timing.inputValue()) === "18", "what it has now");
      await timing.fill("40");
      await page.getByRole("button", { name: "Set", exact: true }).press("Enter");
      await page
        .getByText(/timing_deg must be at least 0 and at most 30/)
        .first()
        .waitFor();
      await timing.fill("22");
      await page.getByRole("button", { name: "Set", exact: true }).press("Enter");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      assert.deepEqual(told("settings").at(-1), { timing_deg: 22 });
      assert.deepEqual(simulator.read("esc").settings, { timing_deg: 22, ramp_pct_s: 800, brake_on_stop: false });
      await open();
      await until(async () => (await timing.inputValue()) === "22", "it says so");
      await page.keyboard.press("Escape");
    },
    async "a sweep measures step by step while it is held, and ends early at its limit"(bench) {
      const { slot, told } = bench;
      await sweepTo(bench, "1.5");
      const steps = new Set(told("throttle").map(({ throttle_pct }) => throttle_pct));
      assert.ok(steps.has(5) && steps.has(20) && !steps.has(80), [...steps].join());
      await until(
        async () => /A \+ .* A · u/.test(await slot.locator("[data-field=fit]").innerText()),
        "the fit is shown",
      );
    },
  },
  refuses: {
    ...{ capability: "esc", field: "throttle_pct", limits: [0, 5] },
    async act(bench) {
      const isRefused = async () => (await bench.slot.locator(".command-row", { hasText: "throttle_pct" }).count()) > 0;
      await bench.holdUntil(hold(bench), isRefused, "it is refused");
    },
  },
  moves: {
    start: (bench) => bench.holdUntil(hold(bench), () => amps(bench) > 0.3, "it spins"),
    isMoving: (simulator) => Number(simulator.read("esc").current_a) > 0,
    stop: "stop",
  },
  picture: {
    async act(bench) {
      await sweepTo(bench, "2.5");
      await sweepTo(bench, "3.5");
    },
  },
};

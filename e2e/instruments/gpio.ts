import assert from "node:assert/strict";
import { pressIfThere } from "../support/browser.ts";
import { until } from "../support/processes.ts";
import type { InstrumentBench, SimulatedInstrument } from "./instrument.ts";

const value = ({ slot }: InstrumentBench, pin: string) => slot.locator(`.gpio-header [data-field=${pin}]`);
const choose = ({ slot }: InstrumentBench, pin: RegExp) => slot.locator(".gpio-lane", { hasText: pin }).press("Enter");

/** Pressed once, if it works: two pulses would follow each other. */
const DONE_WITHIN_MS = 5_000;

/** Control may have ended on a busy machine: then it is taken again. */
const press = async ({ slot, arm }: InstrumentBench, name: string, isDone: () => boolean | Promise<boolean>) =>
  until(async () => {
    if (await isDone()) return true;
    await arm();
    await slot.getByRole("button", { name, exact: true }).press("Enter");
    return until(isDone, `${name} was sent`, DONE_WITHIN_MS).then(
      () => true,
      () => false,
    );
  }, `${name} was pressed`);

export const gpio: SimulatedInstrument = {
  panel: "gpio",
  simulator: "gpio",
  async shows(bench) {
    const { simulator, slot } = bench;
    await until(async () => (await value(bench, "gpio17").innerText()) === "high", "the guard is closed");
    simulator.tell("gpio17", false);
    await until(async () => (await value(bench, "gpio17").innerText()) === "low", "the guard is open");
    await choose(bench, /GPIO 17/);
    await slot.getByText(/^1 change in 30 s, the last .* · pull up/).waitFor();
    await until(async () => (await value(bench, "gpio18").innerText()) === "35 %", "the fan");
  },
  async commands(bench) {
    const { slot, simulator, told } = bench;
    const reached = (words: string) =>
      slot.locator(".command-row", { hasText: words }).locator(".done", { hasText: "reached" });
    await choose(bench, /GPIO 27/);
    await press(bench, "High", () => told("write").length > 0);
    assert.deepEqual(told("write").at(-1), { pin: "gpio27", high: true });
    await slot.locator(".command-row .done", { hasText: "reached" }).waitFor();
    await until(async () => (await value(bench, "gpio27").innerText()) === "high", "it reads back high");
    await press(bench, "Pulse low", () => told("pulse").length > 0);
    await until(() => simulator.read("pins").gpio27 === true, "the pulse is over");
    await reached("pulse").waitFor();
    await until(async () => (await value(bench, "gpio27").innerText()) === "high", "it reads back high again");
    simulator.setFault("lying", true);
    try {
      const before = told("write").length;
      await press(bench, "Low", () => told("write").length > before);
      await reached("write").waitFor();
      assert.equal(await slot.getByRole("button", { name: "High", exact: true }).getAttribute("aria-pressed"), "true");
    } finally {
      simulator.setFault("lying", false);
    }
  },
  more: {
    async "Stop sets the outputs to rest"(bench) {
      const { slot, page, simulator, told } = bench;
      await slot.getByRole("button", { name: "Stop", exact: true }).press("Enter");
      await until(() => told("off").length > 0 && simulator.read("pins").gpio27 === false, "the outputs are at rest");
      await until(async () => (await value(bench, "gpio27").innerText()) === "low", "it reads back low");
      await slot.getByText("Stopped", { exact: true }).waitFor();
      const clear = page.getByRole("button", { name: "Clear the stop" });
      await until(async () => {
        await pressIfThere(clear);
        return (await slot.getByRole("button", { name: /^(Take control|Arm)$/ }).count()) > 0;
      }, "it can be controlled again");
    },
  },
  picture: {
    async act(bench) {
      await choose(bench, /GPIO 27/);
      await press(bench, "High", () => bench.told("write").length > 0);
      await bench.slot.locator(".command-row .done", { hasText: "reached" }).waitFor();
    },
  },
  refuses: {
    ...{ capability: "pins", field: "duty_pct", limits: [0, 30] },
    async act(bench) {
      const { slot, page, arm } = bench;
      await choose(bench, /GPIO 18/);
      await until(async () => {
        await arm();
        await slot.getByRole("slider", { name: "Duty" }).focus();
        await page.keyboard.press("End");
        return (await slot.locator(".command-row", { hasText: "duty_pct" }).count()) > 0;
      }, "it was refused");
    },
  },
};

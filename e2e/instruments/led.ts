import assert from "node:assert/strict";
import { until } from "../support/processes.ts";
import type { SimulatedInstrument } from "./instrument.ts";

export const led: SimulatedInstrument = {
  panel: "led",
  simulator: "led",
  async shows({ slot, simulator }) {
    await slot.getByText("59 of 60 pixels answer").waitFor();
    await slot.getByRole("img", { name: "Live pixels 0 to 59; 52 do not answer" }).waitFor();
    const drawn = slot.locator("[data-field=current_a]");
    await until(async () => {
      const currentA = Number(simulator.read("led").current_a);
      return Math.abs(Number(await drawn.innerText()) - currentA) < 0.25;
    }, "the current is shown");
  },
  async commands({ slot, told, simulator, page }) {
    await slot.getByRole("slider", { name: "Colour" }).focus();
    await page.keyboard.press("End");
    await until(() => JSON.stringify(told("set").at(-1)?.rgb) === "[255,0,4]", "the colour arrived");
    await slot.locator(".command-row .done", { hasText: "reached" }).waitFor();
    simulator.setFault("silent", true);
    const brightness = slot.getByRole("slider", { name: "Brightness" });
    await brightness.focus();
    await page.keyboard.press("ArrowDown");
    await until(() => told("set").at(-1)?.brightness_pct === 59, "it was asked");
    assert.equal(await slot.locator(".command-row .done", { hasText: "reached" }).count(), 0);
    await slot.locator(".command-row", { hasText: "no answer" }).waitFor();
    await until(async () => (await brightness.inputValue()) === "60", "what was only asked for is not kept");
    simulator.setFault("silent", false);
  },
  more: {
    async "a brightness that the current budget does not allow is shown as held"({ slot, told, page }) {
      await slot.getByRole("button", { name: "Solid" }).press("Enter");
      await until(() => told("set").at(-1)?.effect === "Solid", "a steady colour");
      await slot.getByRole("slider", { name: "White" }).focus();
      await page.keyboard.press("End");
      await slot.getByRole("slider", { name: "Brightness" }).focus();
      await page.keyboard.press("End");
      await slot.getByText(/^Held at \d\d %\.$/).waitFor();
      await slot.locator(".command-row .part", { hasText: "current budget" }).waitFor();
    },
  },
  refuses: {
    ...{ capability: "led", field: "brightness_pct", limits: [0, 50] },
    async act({ slot, page }) {
      await slot.getByRole("slider", { name: "Brightness" }).focus();
      await page.keyboard.press("ArrowDown");
    },
  },
  picture: {
    async act({ slot, page }) {
      await slot.getByRole("slider", { name: "Brightness" }).focus();
      await page.keyboard.press("ArrowDown");
      await slot.locator(".command-row .done", { hasText: "reached" }).waitFor();
    },
  },
};

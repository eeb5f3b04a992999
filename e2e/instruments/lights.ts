import assert from "node:assert/strict";
import { until } from "../support/processes.ts";
import type { InstrumentBench, SimulatedInstrument } from "./instrument.ts";

const lamp = ({ slot }: InstrumentBench, id: string) => slot.locator(`[data-lamp="lights/${id}"]`);

export const lights: SimulatedInstrument = {
  panel: "lights",
  simulator: "lights",
  opened: /7 of 8 lamps answer/,
  async shows(bench) {
    await lamp(bench, "bench-1").getByText("100 %").waitFor();
    await lamp(bench, "printer").getByText("off").waitFor();
    await lamp(bench, "desk").getByText("no value").waitFor();
  },
  async commands(bench) {
    const { slot, page, told, simulator } = bench;
    for (const id of ["bench-1", "bench-2", "bench-3"]) await lamp(bench, id).press("Enter");
    await slot.getByRole("heading", { name: "3 lamps chosen" }).waitFor();
    await slot.getByRole("slider", { name: "Brightness" }).focus();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowDown");
    await until(
      () => told("set").filter(({ brightness_pct }) => brightness_pct === 99).length === 3,
      "all three were asked",
    );
    await slot.getByText("Bench 2 says yes").waitFor();
    assert.equal(simulator.read("bench-2").on, false);
    await lamp(bench, "bench-2").getByText("no change").waitFor();
    await lamp(bench, "bench-3").getByText("99 %").waitFor();
    await slot.locator(".command-row .part", { hasText: "2 of 3" }).waitFor();
  },
  more: {
    async "the plan has a scale when the width of the room is known"({ slot }) {
      await slot.getByRole("button", { name: "Arrange" }).press("Enter");
      const width = slot.getByLabel("Width of the room, m");
      await width.fill("8.6");
      await width.blur();
      await slot.getByRole("button", { name: "Done" }).press("Enter");
      await slot.locator("[data-reading=scale]", { hasText: "2 m" }).waitFor();
    },
    async "one gesture over the plan chooses lamps, and a scene brings them back"(bench) {
      const { slot, page, simulator } = bench;
      await slot.getByRole("button", { name: "Save as scene" }).press("Enter");
      await slot.getByLabel("Name of the scene").fill("Work");
      await page.keyboard.press("Enter");
      const plan = await slot.getByRole("group", { name: "Plan of the room" }).boundingBox();
      assert.ok(plan);
      await page.mouse.move(plan.x + 5, plan.y + 5);
      await page.mouse.down();
      await page.mouse.move(plan.x + plan.width - 5, plan.y + plan.height / 2, { steps: 4 });
      await page.mouse.up();
      await slot.getByRole("heading", { name: "4 lamps chosen" }).waitFor();
      await slot.getByRole("switch").press("Enter");
      await until(() => simulator.read("bench-1").on === false, "they are off");
      await lamp(bench, "bench-1").getByText("off").waitFor();
      await slot.getByRole("button", { name: "Work", exact: true }).press("Enter");
      await until(() => simulator.read("bench-1").brightness_pct === 99, "they are as they were");
      await lamp(bench, "bench-1").getByText("99 %").waitFor();
    },
  },
  refuses: {
    ...{ capability: "door", field: "brightness_pct", limits: [0, 50] },
    async act(bench) {
      const { slot, page } = bench;
      await page.mouse.click(0, 0);
      await lamp(bench, "door").click();
      await slot.getByRole("slider", { name: "Brightness" }).focus();
      await page.keyboard.press("End");
    },
  },
};

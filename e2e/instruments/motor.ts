import { until } from "../support/processes.ts";
import type { SimulatedInstrument } from "./instrument.ts";

/** Of the ten seconds of its plots. */
const TURNS_MS = 4_000;

export const motor: SimulatedInstrument = {
  panel: "motor",
  simulator: "motor",
  async shows({ slot }) {
    await until(
      async () => Number.parseFloat(await slot.locator("[data-field=bus_voltage_v]").innerText()) > 23,
      "24 V",
    );
  },
  more: {
    async "a step is measured, and put beside the last one"({ slot, holdUntil, release, simulator, told }) {
      await slot.getByRole("button", { name: "Step test" }).press("Enter");
      const hold = slot.locator(".hold-button");
      const row = slot.getByRole("row", { name: /Rise time/ });
      for (const isCompared of [false, true]) {
        const cells = isCompared ? /\d+ ms\s+\d+ ms/ : /\d+ ms\s+–/;
        await holdUntil(hold, async () => cells.test(await row.innerText()), "the step was measured");
        await release();
        await until(
          () => Math.abs(Number(simulator.read("motor").velocity_rad_s)) < 1 && told("idle").length > 0,
          "it stands still",
        );
      }
      await slot.getByRole("combobox", { name: "Compared with" }).waitFor();
    },
  },
  refuses: {
    ...{ capability: "motor", field: "velocity_rad_s", limits: [-5, 5] },
    async act({ slot, holdUntil }) {
      await slot.getByRole("button", { name: "Run", exact: true }).press("Enter");
      const isRefused = async () => (await slot.locator(".command-row", { hasText: "at most 5" }).count()) > 0;
      await holdUntil(slot.locator(".hold-button"), isRefused, "it is refused");
    },
  },
  moves: {
    async start({ slot, holdUntil, simulator }) {
      await slot.getByRole("button", { name: "Run", exact: true }).press("Enter");
      await holdUntil(
        slot.locator(".hold-button"),
        () => Number(simulator.read("motor").velocity_rad_s) > 5,
        "it turns",
      );
    },
    isMoving: (simulator) => Number(simulator.read("motor").velocity_rad_s) > 1,
    stop: "idle",
  },
  picture: {
    async act({ slot, page, holdUntil, simulator }) {
      await slot.getByRole("slider", { name: "Target" }).fill("60");
      await holdUntil(
        slot.locator(".hold-button"),
        () => Number(simulator.read("motor").velocity_rad_s) > 58,
        "it turns",
      );
      await slot.locator(".command-row .done", { hasText: "reached" }).waitFor();
      await page.waitForTimeout(TURNS_MS);
    },
  },
};

import { until } from "../support/processes.ts";
import { reading, type ToldInstrument } from "./instrument.ts";

/** A run of a triangle: up by 2 °C/s to its peak after 110 s, then down by 4 °C/s. At 245 °C: 14 s and 7 s above 217 °C. */
const runOf = (run: number, peakC: number) =>
  Array.from({ length: 34 }, (_, i) => {
    const run_s = i * 5;
    const board_c = run_s <= 110 ? peakC - 2 * (110 - run_s) : peakC - 4 * (run_s - 110);
    return { run, run_s, board_c, air_c: board_c + 12, heater_pct: 71, fan_pct: 20, stage: "reflow", lid_open: false };
  });

/** A run melts its solder after about four minutes. */
const MELTS_MS = 600_000;

export const ovenData: ToldInstrument = {
  panel: "oven-data",
  simulator: "oven",
  samples: [
    ...runOf(6, 238),
    ...runOf(7, 245),
    { board_c: 40.5, air_c: 38, heater_pct: 0, fan_pct: 100, stage: "cooling", lid_open: false },
  ],
  async shows({ slot }) {
    await slot.locator("[data-field=board_c]").getByText("40.5").waitFor();
    await reading(slot, "Peak").getByText("245°C").waitFor();
    await reading(slot, "Above liquidus").getByText("21s").waitFor();
    await reading(slot, "Soak, 150 to 180").getByText("15s").waitFor();
    await slot.getByText(/^Run 7 started/).waitFor();
  },
  more: {
    async "the run is laid over earlier ones that are chosen"({ page, slot }) {
      await slot.getByText("Run 6", { exact: true }).waitFor();
      const runs = slot.getByRole("button", { name: "Runs", exact: true });
      await runs.press("Enter");
      await page.getByRole("menuitem", { name: /^Run 6, .*peak 238 °C/ }).press("Enter");
      await slot.getByText("Run 6", { exact: true }).waitFor({ state: "detached" });
      await runs.press("Enter");
      await page.getByRole("menuitem", { name: "All earlier runs" }).press("Enter");
      await slot.getByText("Run 6", { exact: true }).waitFor();
    },
    async "points of the profile are moved, and the profile is put back"({ page, slot }) {
      await slot.getByRole("button", { name: /^Point 2 of 8: 1:15, 150 °C/ }).focus();
      await page.keyboard.press("Shift+ArrowUp");
      await slot.getByRole("button", { name: /^Point 2 of 8: 1:15, 160 °C/ }).waitFor();
      await page.keyboard.press("ArrowLeft");
      await slot.getByRole("button", { name: /^Point 2 of 8: 1:10, 160 °C/ }).waitFor();
      await slot.getByRole("button", { name: "Back to SAC305" }).press("Enter");
      await slot.getByText("Profile SAC305").waitFor();
      await slot.getByRole("button", { name: "Start run", exact: true, disabled: true }).waitFor();
    },
  },
  picture: {
    async begin({ slot, arm, told }) {
      await until(async () => {
        if (told("start").length > 0) return true;
        await arm();
        await slot.getByRole("button", { name: "Start run", exact: true }).press("Enter");
        return false;
      }, "a run was started");
    },
    act: ({ simulator }) => until(() => simulator.read("oven").stage === "reflow", "it melts", MELTS_MS),
  },
};

import { reading, type ToldInstrument } from "./instrument.ts";

/** A run of a triangle: up by 2 °C/s to 245 °C, then down by 4 °C/s: 14 s and 7 s above 217 °C. */
const samples = Array.from({ length: 34 }, (_, i) => {
  const run_s = i * 5;
  const board_c = run_s <= 110 ? 25 + 2 * run_s : 245 - 4 * (run_s - 110);
  return { run: 7, run_s, board_c, air_c: board_c + 12, heater_pct: 71, fan_pct: 20, stage: "reflow", lid_open: false };
});

export const ovenData: ToldInstrument = {
  panel: "oven-data",
  simulator: "oven",
  samples: [...samples, { board_c: 40.5, air_c: 38, heater_pct: 0, fan_pct: 100, stage: "cooling", lid_open: false }],
  async shows({ slot }) {
    await slot.locator("[data-field=board_c]").getByText("40.5").waitFor();
    await reading(slot, "Peak").getByText("245°C").waitFor();
    await reading(slot, "Above liquidus").getByText("21s").waitFor();
    await reading(slot, "Soak, 150 to 180").getByText("15s").waitFor();
    await slot.getByText(/^Run 7 started/).waitFor();
  },
  more: {
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
};

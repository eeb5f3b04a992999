import { reading, type ToldInstrument } from "./instrument.ts";

const WALL = { status: ["ok", "ok", "edge", "low-signal"], sigma_mm: [4, 5, 30, 60], grid: [2, 2] };

export const timeOfFlight: ToldInstrument = {
  panel: "time-of-flight",
  simulator: "time-of-flight",
  samples: [
    { ...WALL, distance_mm: [1_200, 1_240, 300, null] },
    { ...WALL, distance_mm: [420, 1_250, 310, null], temperature_c: 31 },
  ],
  async shows({ slot }) {
    const zone = (place: number) => slot.locator(`td[data-zone="${place}"]`);
    await zone(0).getByText("420", { exact: true }).waitFor();
    await zone(1).getByText("1250", { exact: true }).waitFor();
    // What the sensor does not believe has no number.
    await zone(2).and(slot.locator(":empty.unknown")).waitFor();
    await reading(slot, "Nearest, zone 0").getByText("420 mm").waitFor();
    await slot.getByText("2 of 4 unreliable").waitFor();
    await slot.getByText("1 at an edge, 1 low signal.").waitFor();
  },
  more: {
    async "the spread is shown instead of the distance, and the background is taken away"({ slot }) {
      await slot.getByRole("button", { name: "σ", exact: true }).press("Enter");
      await slot.locator('td[data-zone="1"]').getByText("5.0", { exact: true }).waitFor();
      await slot.getByRole("button", { name: "Distance", exact: true }).press("Enter");
      const less = slot.getByRole("switch", { name: "Less background" });
      await less.press("Enter");
      await slot.locator('td[data-zone="1"]:empty').waitFor();
      await less.press("Enter");
      await slot.locator('td[data-zone="1"]').getByText("1250").waitFor();
    },
  },
};

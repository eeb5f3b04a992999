import { reading, type ToldInstrument } from "./instrument.ts";

const at = (x_m: number, position: number | null, value: number[]) => ({
  ...{ value, raw: value.map((each) => each / 2 + 90), min: value.map(() => 90), max: value.map(() => 590) },
  ...{ position, on_line: position !== null, x_m, y_m: 0, heading_rad: 0, calibrating: false },
});

export const lineFollower: ToldInstrument = {
  panel: "line-follower",
  simulator: "line-follower",
  samples: [at(0, -0.3, [0, 900, 0, 0]), at(0.1, null, [0, 10, 0, 0]), at(0.2, 0.1, [38, 655, 948, 61])],
  state: { windowS: 300 },
  async shows({ slot }) {
    await slot.getByRole("img", { name: "Eyes from left to right: 38, 655, 948, 61" }).waitFor();
    await reading(slot, "Position").getByText("+0.10right").waitFor();
    await reading(slot, "Line").getByText("Seen2 eyes").waitFor();
    await reading(slot, "Lost").getByText(/^1/).waitFor();
  },
  more: {
    async "raw values are shown, and a calibration that the device does not answer says so"({ slot }) {
      await slot.getByRole("button", { name: "Raw", exact: true }).press("Enter");
      await slot.getByRole("img", { name: "Eyes from left to right: 109, 418, 564, 121" }).waitFor();
      await slot.getByRole("button", { name: "Values", exact: true }).press("Enter");
      // This device answers no command.
      await slot.getByRole("button", { name: "Calibrate", exact: true }).press("Enter");
      await slot.locator(".command-row", { hasText: "no answer" }).waitFor();
    },
  },
};

import { reading, type ToldInstrument } from "./instrument.ts";

const pings = [-10, -5, 0, 5].map((angle_deg) => ({
  angle_deg,
  temperature_c: 20,
  distance_mm: 2_100,
  echo_us: 12_238,
}));

export const ultrasonic: ToldInstrument = {
  panel: "ultrasonic",
  simulator: "ultrasonic",
  samples: [
    ...pings,
    { angle_deg: 10, temperature_c: 20 },
    { angle_deg: 15, temperature_c: 35, distance_mm: 1_000, echo_us: 5_828 },
  ],
  state: { windowS: 600 },
  async shows({ slot }) {
    // The sensor said 1,000 mm; in air of 35 °C its echo has come from 1,025 mm.
    await reading(slot, "Distance").getByText("1,025mm").waitFor();
    await reading(slot, "Speed of sound").getByText("351.9m/s").waitFor();
    await reading(slot, "Lost echoes").getByText("1of 6").waitFor();
    await reading(slot, "Nearest in sweep").getByText("1,025mm").waitFor();
    await slot.getByRole("img", { name: "The last sweep: 6 echoes" }).waitFor();
    await slot.getByRole("cell", { name: "lost", exact: true }).waitFor();
  },
  more: {
    async "a single echo is shown instead of the sweep"({ slot }) {
      await slot.getByRole("button", { name: "Single", exact: true }).press("Enter");
      await slot.getByRole("img", { name: "The last echo" }).waitFor();
      await slot.getByRole("button", { name: "Sweep", exact: true }).press("Enter");
    },
  },
};

import type { ToldInstrument } from "./instrument.ts";

// Roll 30°, pitch 0°, yaw 90°: a turn about z, then about x.
const [c45, c15, s15] = [Math.SQRT1_2, Math.cos(Math.PI / 12), Math.sin(Math.PI / 12)];
const G = 9.806_65;

export const imu: ToldInstrument = {
  panel: "imu",
  simulator: "imu",
  samples: [
    {
      q: [c45 * c15, c45 * s15, c45 * s15, c45 * c15],
      accel_m_s2: [0, G / 2, (G * Math.sqrt(3)) / 2],
      gyro_rad_s: [0, 0, Math.PI / 4],
      mag_ut: [0, -17.32 - 22, 10 - 38.1],
      temperature_c: 31.4,
    },
  ],
  async shows({ slot }) {
    const cells = (angle: string) => slot.locator(`tr[data-angle=${angle}]`);
    await cells("roll").getByText("30.0°").first().waitFor();
    await cells("yaw").getByText("90.0°").first().waitFor();
    await slot.getByRole("img", { name: "Horizon: roll 30°, pitch 0°, yaw 90°" }).waitFor();
    await slot.getByText("9.81 m/s²").waitFor();
    await slot.locator("[data-field=z]", { hasText: "45" }).waitFor();
  },
  more: {
    async "the angles of the device or of both are chosen, and a calibration is begun and ended"({ page, slot }) {
      await slot.getByRole("button", { name: "Device", exact: true }).press("Enter");
      await slot.locator("tr[data-angle=roll]", { hasText: "30.0°––" }).waitFor();
      await slot.getByRole("button", { name: "Both", exact: true }).press("Enter");
      await slot.getByRole("button", { name: "Calibrate", exact: true }).press("Enter");
      await slot.getByText("Put the board flat and leave it still.").waitFor();
      await slot.getByRole("button", { name: "Skip side", exact: true }).press("Enter");
      await slot.getByText("Side 2 of 6.").waitFor();
      await slot.getByRole("button", { name: "Cancel", exact: true }).press("Enter");
      await slot.getByText("Not calibrated here.").waitFor();
      await page.keyboard.press("Tab");
    },
  },
};

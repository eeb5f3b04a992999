import { noise, rounded, type SimulatedKind, timed } from "../simulator.ts";

/** Two machines beside the sensor, and one that starts now and then. */
const TONES = [
  { hz: 7.5, size: 0.6 },
  { hz: 17, size: 0.25 },
] as const;
const GUEST = { hz: 11, size: 0.8, everyS: 40, forS: 10 };

export const vibration: SimulatedKind = {
  kind: "sensor",
  name: "Vibration sensor",
  model: "ADXL355",
  description: "Acceleration beside machines that run at 7.5, 11 and 17 turns per second",
  nodes: {
    acceleration: {
      ...{ name: "Acceleration", kind: "acceleration", rateHz: 60 },
      fields: {
        x_m_s2: { unit: "m/s²", min: -20, max: 20 },
        y_m_s2: { unit: "m/s²", min: -20, max: 20 },
        z_m_s2: { unit: "m/s²", min: -20, max: 20 },
      },
    },
  },
  create(random) {
    return timed((atS) => {
      const wave = (hz: number, size: number, phase: number) => size * Math.sin(2 * Math.PI * hz * atS + phase);
      const guest = atS % GUEST.everyS > GUEST.everyS - GUEST.forS ? GUEST.size : 0;
      const along = (phase: number) =>
        TONES.reduce((sum, { hz, size }) => sum + wave(hz, size, phase), wave(GUEST.hz, guest, phase));
      return {
        x_m_s2: rounded(along(0) + noise(random, 0.03), 4),
        y_m_s2: rounded(along(Math.PI / 2) + noise(random, 0.03), 4),
        z_m_s2: rounded(9.81 + 0.1 * along(1) + noise(random, 0.03), 4),
      };
    });
  },
};

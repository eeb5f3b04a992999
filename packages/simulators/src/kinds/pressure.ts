import { noise, rounded, type SimulatedKind, timed } from "../simulator.ts";

const MEAN_PA = 99_800;
/** A front passes in this time, and takes this much of the pressure with it. */
const FRONT_S = 6 * 3_600;
const FRONT_PA = 900;
const DAY_S = 86_400;

export const pressure: SimulatedKind = {
  kind: "pressure",
  name: "Weather sensor",
  model: "BME280",
  description: "Pressure, temperature and humidity while a front passes",
  nodes: {
    air: {
      ...{ name: "Air", kind: "pressure-temperature", rateHz: 1 },
      fields: {
        pressure_pa: { unit: "Pa", min: 30_000, max: 110_000 },
        temperature_c: { unit: "°C", min: -40, max: 85 },
        humidity_pct: { unit: "%", min: 0, max: 100 },
      },
    },
  },
  create(random) {
    return timed((atS) => {
      const front = Math.sin((2 * Math.PI * atS) / FRONT_S);
      const day = Math.sin((2 * Math.PI * atS) / DAY_S);
      const temperatureC = 21.5 + 2.5 * day - 0.8 * front;
      return {
        pressure_pa: Math.round(MEAN_PA - FRONT_PA * front + noise(random, 1.3)),
        temperature_c: rounded(temperatureC + noise(random, 0.01), 2),
        humidity_pct: rounded(48 + 12 * front - 4 * day + noise(random, 0.05), 2),
      };
    });
  },
};

import { noise, rounded, type SimulatedKind } from "../simulator.ts";

/** Masses in a row: the first is heated, each warms the next, all cool in the air of the room. */
const SENSORS = ["Motor", "Driver", "Gearbox", "Bearing", "Frame", "Controller", "Supply", "Room"] as const;
const ROOM_C = 22;
const HEATER_W = 55;
const CAPACITY_J_K = [60, 90, 160, 140, 400, 70, 120] as const;
const CONDUCTION_W_K = 0.35;
const COOLING_W_K = 0.22;
/** The motor works for two minutes and rests for one. */
const WORK_S = 120;
const CYCLE_S = 180;

const fieldOf = (sensor: string) => `${sensor.toLowerCase()}_c`;

export const temperatures: SimulatedKind = {
  kind: "temperature",
  name: "Thermometers",
  model: "8 × TMP117",
  description: "Eight temperatures of a machine that works and rests",
  nodes: {
    temperatures: {
      ...{ name: "Temperatures", kind: "temperature", rateHz: 4 },
      fields: Object.fromEntries(SENSORS.map((sensor) => [fieldOf(sensor), { unit: "°C", min: -40, max: 150 }])),
    },
  },
  create(random) {
    const temperatureC: number[] = CAPACITY_J_K.map(() => ROOM_C);
    let atS = 0;
    return {
      step(seconds) {
        atS += seconds;
        const isWorking = atS % CYCLE_S < WORK_S;
        const before = [...temperatureC];
        for (const [i, capacity] of CAPACITY_J_K.entries()) {
          const own = before[i] ?? ROOM_C;
          const neighbours = [before[i - 1], before[i + 1]].filter((value) => value !== undefined);
          const conducted = neighbours.reduce((sum, other) => sum + CONDUCTION_W_K * (other - own), 0);
          const powerW = (i === 0 && isWorking ? HEATER_W : 0) + conducted - COOLING_W_K * (own - ROOM_C);
          temperatureC[i] = own + (powerW * seconds) / capacity;
        }
      },
      read() {
        const all = [...temperatureC, ROOM_C + 0.4 * Math.sin(atS / 300)];
        return Object.fromEntries(
          SENSORS.map((sensor, i) => [fieldOf(sensor), rounded((all[i] ?? ROOM_C) + noise(random, 0.02), 2)]),
        );
      },
    };
  },
};

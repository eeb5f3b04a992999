import { noise, rounded, type SimulatedKind, timed } from "../simulator.ts";

const SWEEP_DEG = 75;
const STEP_DEG = 2.5;
const MAX_MM = 4_000;
/** A wall in front, one to the left, and a cone that goes to and fro. */
const WALLS = [
  { mm: 2_120, fromDeg: -20, toDeg: 32 },
  { mm: 3_400, fromDeg: -75, toDeg: -45 },
] as const;
const CONE = { mm: 900, swingMm: 250, atDeg: 52, halfDeg: 6, periodS: 14 };
/** Beyond this angle to the wall the echo goes elsewhere. */
const GRAZING_DEG = 38;
const DROPOUT = 0.03;
const DEVIATION_MM = 4;

/** Metres per second: dry air of this temperature. */
const speedOfSound = (celsius: number): number => 331.3 * Math.sqrt(1 + celsius / 273.15);

/** What is in this direction; undefined: nothing, or nothing that answers. */
function distanceAt(degrees: number, atS: number): number | undefined {
  if (Math.abs(degrees - CONE.atDeg) < CONE.halfDeg)
    return CONE.mm + CONE.swingMm * Math.sin((2 * Math.PI * atS) / CONE.periodS);
  const wall = WALLS.find(({ fromDeg, toDeg }) => degrees >= fromDeg && degrees <= toDeg);
  if (!wall) return undefined;
  const middle = (wall.fromDeg + wall.toDeg) / 2;
  const off = degrees - middle;
  if (Math.abs(off) > GRAZING_DEG) return undefined;
  return wall.mm / Math.cos((off * Math.PI) / 180);
}

export const ultrasonic: SimulatedKind = {
  kind: "ultrasonic",
  name: "Ultrasonic sensor",
  model: "HC-SR04 on a servo",
  description: "Echoes of a room while the sensor sweeps; some do not come back",
  nodes: {
    sonar: {
      ...{ name: "Echo", kind: "ultrasonic", rateHz: 16 },
      fields: {
        distance_mm: { unit: "mm", min: 0, max: MAX_MM },
        echo_us: { unit: "µs" },
        temperature_c: { unit: "°C", min: -20, max: 60 },
        angle_deg: { unit: "°", min: -SWEEP_DEG, max: SWEEP_DEG },
      },
    },
  },
  create(random) {
    let place = 0;
    const steps = (2 * SWEEP_DEG) / STEP_DEG;
    // Every ping is at the next angle.
    return timed((atS) => {
      place = (place + 1) % (2 * steps);
      const degrees = -SWEEP_DEG + STEP_DEG * (place <= steps ? place : 2 * steps - place);
      const celsius = 21.6 + 0.4 * Math.sin(atS / 120);
      const truth = distanceAt(degrees, atS);
      const isLost = truth === undefined || truth > MAX_MM || random() < DROPOUT;
      const mm = isLost ? Number.NaN : truth + noise(random, DEVIATION_MM);
      return {
        // The sensor itself believes that the air has 20 °C.
        distance_mm: isLost ? null : Math.round((mm / speedOfSound(celsius)) * speedOfSound(20)),
        echo_us: isLost ? null : Math.round((2_000 * mm) / speedOfSound(celsius)),
        temperature_c: rounded(celsius + noise(random, 0.02), 2),
        angle_deg: degrees,
      };
    });
  },
};

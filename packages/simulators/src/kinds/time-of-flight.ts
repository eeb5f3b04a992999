import { noise, type Random, rounded, type SimulatedKind, timed } from "../simulator.ts";

const ZONES = 8;
const HALF_VIEW_RAD = (22.5 * Math.PI) / 180;
/** The sensor stands on the floor's height plus this, in front of a wall that recedes to the right. */
const HEIGHT_MM = 520;
const WALL_MM = 1_200;
const WALL_SLOPE = 0.42;
const BALL_RADIUS_MM = 110;
/** A ball swings towards the sensor and away from it. */
const BALL_MM = 640;
const BALL_SWING_MM = 220;
const BALL_PERIOD_S = 9;
/** Light that comes back from a white wall at one metre. */
const SIGNAL_KCPS = 60;
const MIN_SIGNAL_KCPS = 12;
/** The dark corner of the room swallows light. */
const isDark = (column: number, row: number): boolean => column >= 6 && row <= 2;
/** Rays per zone and direction: a zone sees all of them at once. */
const RAYS = 3;

type Hit = { mm: number; isBall: boolean };

function hit(yaw: number, pitch: number, ball: readonly [number, number, number]): Hit {
  const ray = [Math.cos(pitch) * Math.cos(yaw), Math.cos(pitch) * Math.sin(yaw), Math.sin(pitch)] as const;
  const wall = WALL_MM / (ray[0] - WALL_SLOPE * ray[1]);
  const floor = ray[2] < 0 ? -HEIGHT_MM / ray[2] : Number.POSITIVE_INFINITY;
  const along = ray[0] * ball[0] + ray[1] * ball[1] + ray[2] * ball[2];
  const beside = ball[0] ** 2 + ball[1] ** 2 + ball[2] ** 2 - along * along;
  const isBall = along > 0 && beside < BALL_RADIUS_MM ** 2;
  const mm = Math.min(wall > 0 ? wall : Number.POSITIVE_INFINITY, floor);
  return isBall ? { mm: along - Math.sqrt(BALL_RADIUS_MM ** 2 - beside), isBall } : { mm, isBall };
}

type Zone = { mm: number | null; status: string; sigma: number | null; signal: number };

function zoneOf(random: Random, column: number, row: number, ball: readonly [number, number, number]): Zone {
  const angle = (place: number, ray: number) => (((place + (ray + 0.5) / RAYS) / ZONES) * 2 - 1) * HALF_VIEW_RAD;
  const hits: Hit[] = [];
  for (let a = 0; a < RAYS; a += 1)
    for (let b = 0; b < RAYS; b += 1) hits.push(hit(angle(column, a), -angle(row, b), ball));
  const ofBall = hits.filter(({ isBall }) => isBall);
  const seen = ofBall.length * 2 > hits.length ? ofBall : hits.filter(({ isBall }) => !isBall);
  const mm = seen.reduce((sum, each) => sum + each.mm, 0) / seen.length;
  const signal = (SIGNAL_KCPS * (isDark(column, row) ? 0.12 : 1)) / (mm / 1_000) ** 2;
  const sigma = 2 + 120 / signal;
  const shown = { sigma: rounded(sigma, 1), signal: rounded(signal + noise(random, 0.5), 1) };
  if (signal < MIN_SIGNAL_KCPS) return { mm: null, status: "low-signal", ...shown };
  // Two things in one zone: the distance would be that of neither.
  const isEdge = ofBall.length >= 3 && ofBall.length <= 5;
  return { mm: Math.round(mm + noise(random, sigma / 2)), status: isEdge ? "edge" : "ok", ...shown };
}

export const timeOfFlight: SimulatedKind = {
  kind: "time-of-flight",
  name: "Time-of-flight sensor",
  model: "VL53L5CX",
  description: "64 zones that look at a room with a ball that swings",
  nodes: {
    zones: {
      ...{ name: "Zones", kind: "time-of-flight", rateHz: 10 },
      fields: {
        distance_mm: { type: "array", unit: "mm" },
        status: { type: "array" },
        sigma_mm: { type: "array", unit: "mm" },
        signal_kcps: { type: "array", unit: "kcps" },
        grid: { type: "array" },
        temperature_c: { unit: "°C", min: -40, max: 85 },
      },
    },
  },
  create(random) {
    return timed((atS) => {
      const swing = (2 * Math.PI * atS) / BALL_PERIOD_S;
      const ball = [BALL_MM + BALL_SWING_MM * Math.cos(swing), 90 * Math.sin(swing / 2), 40] as const;
      const zones = Array.from({ length: ZONES * ZONES }, (_, i) =>
        zoneOf(random, i % ZONES, Math.floor(i / ZONES), ball),
      );
      return {
        distance_mm: zones.map(({ mm }) => mm),
        status: zones.map(({ status }) => status),
        sigma_mm: zones.map(({ sigma }) => sigma),
        signal_kcps: zones.map(({ signal }) => signal),
        grid: [ZONES, ZONES],
        temperature_c: rounded(31 + noise(random, 0.1), 1),
      };
    });
  },
};

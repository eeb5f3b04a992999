import { type CommandAnswer, noise, rounded, type SimulatedKind } from "../simulator.ts";

const EYES = 8;
const EYE_GAP_M = 0.009;
/** The eyes are this far in front of the axle. */
const EYES_AHEAD_M = 0.07;
const LINE_HALF_M = 0.009_5;
/** How far the light of an eye spreads. */
const BLUR_M = 0.004;
const SPEED_M_S = 0.35;
const STEER_PER_S = 5.5;
const DAMPING_S = 0.25;
const MAX_STEP_S = 0.005;
const CALIBRATE_S = 3;
/** The sweep over the line while it calibrates. */
const SWEEP_M = 0.05;
const RAW_WHITE = 90;
const RAW_BLACK = 880;
const RAW_DEVIATION = 3;
const THRESHOLD = 200;
/** Along the track, as a share of it: here the tape is missing. */
const HOLE = [0.43, 0.455] as const;
const POINTS = 720;

type Point = readonly [x: number, y: number];

/** A closed track about three metres wide. */
const TRACK: readonly Point[] = Array.from({ length: POINTS }, (_, i) => {
  const t = (2 * Math.PI * i) / POINTS;
  return [1.3 * Math.cos(t) + 0.18 * Math.cos(3 * t), 0.75 * Math.sin(t) + 0.12 * Math.sin(2 * t)] as const;
});

/** The nearest place of the track, looked for around the last one. */
function nearest(x: number, y: number, around: number): number {
  let [best, distance] = [around, Number.POSITIVE_INFINITY];
  for (let by = -40; by <= 40; by += 1) {
    const place = (around + by + POINTS) % POINTS;
    const [px, py] = TRACK[place] ?? [0, 0];
    const here = Math.hypot(px - x, py - y);
    if (here < distance) [best, distance] = [place, here];
  }
  return best;
}

/** How much of an eye sees tape. */
function darkness(x: number, y: number, around: number): number {
  const place = nearest(x, y, around);
  const share = place / POINTS;
  if (share > HOLE[0] && share < HOLE[1]) return 0;
  const [ax, ay] = TRACK[place] ?? [0, 0];
  const [bx, by] = TRACK[(place + 1) % POINTS] ?? [0, 0];
  const length = Math.hypot(bx - ax, by - ay);
  const beside = Math.abs(((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / length);
  return 1 / (1 + Math.exp((beside - LINE_HALF_M) / (BLUR_M / 3)));
}

export const lineFollower: SimulatedKind = {
  kind: "line-follower",
  name: "Line follower",
  model: "QTR-8RC",
  description: "A robot that follows a line on the floor, with a hole in the tape",
  nodes: {
    line: {
      ...{ name: "Line", kind: "line-follower", rateHz: 30 },
      fields: {
        value: { type: "array" },
        raw: { type: "array" },
        min: { type: "array" },
        max: { type: "array" },
        position: { min: -1, max: 1 },
        on_line: { type: "boolean" },
        calibrating: { type: "boolean" },
        x_m: { unit: "m" },
        y_m: { unit: "m" },
        heading_rad: { unit: "rad" },
      },
      commands: { calibrate: { effect: "changes" } },
    },
  },
  create(random) {
    const [startX, startY] = TRACK[0] ?? [0, 0];
    let [x, y, heading, position, onLine] = [startX, startY, Math.PI / 2, 0, true];
    let place = 0;
    let calibratingS = 0;
    const min = Array.from({ length: EYES }, () => RAW_WHITE);
    const max = Array.from({ length: EYES }, (_, i) => RAW_BLACK - 15 * (i % 3));
    let raw = Array.from({ length: EYES }, () => RAW_WHITE);

    function look(aside: number): number[] {
      const ahead: Point = [x + EYES_AHEAD_M * Math.cos(heading), y + EYES_AHEAD_M * Math.sin(heading)];
      place = nearest(...ahead, place);
      return Array.from({ length: EYES }, (_, i) => {
        // Eyes from left to right.
        const by = ((EYES - 1) / 2 - i) * EYE_GAP_M + aside;
        const dark = darkness(ahead[0] - by * Math.sin(heading), ahead[1] + by * Math.cos(heading), place);
        const black = RAW_BLACK - 15 * (i % 3);
        return Math.round(RAW_WHITE + (black - RAW_WHITE) * dark + noise(random, RAW_DEVIATION));
      });
    }

    const calibrated = (each: number, i: number): number => {
      const [low, high] = [min[i] ?? 0, max[i] ?? 1];
      return Math.round(Math.max(0, Math.min(1, (each - low) / Math.max(1, high - low))) * 1_000);
    };

    function follow(seconds: number): void {
      raw = look(0);
      const values = raw.map(calibrated);
      const before = position;
      onLine = Math.max(...values) > THRESHOLD;
      if (onLine) {
        const total = values.reduce((sum, each) => sum + each, 0);
        position = values.reduce((sum, each, i) => sum + each * ((2 * i) / (EYES - 1) - 1), 0) / total;
      }
      const turning = onLine ? -STEER_PER_S * position - (DAMPING_S * (position - before)) / seconds : 0;
      heading += Math.max(-6, Math.min(6, turning)) * seconds;
      x += SPEED_M_S * Math.cos(heading) * seconds;
      y += SPEED_M_S * Math.sin(heading) * seconds;
    }

    function calibrate(seconds: number): void {
      calibratingS -= seconds;
      raw = look(SWEEP_M * Math.sin((2 * Math.PI * calibratingS) / CALIBRATE_S));
      for (const [i, each] of raw.entries()) {
        min[i] = Math.min(min[i] ?? each, each);
        max[i] = Math.max(max[i] ?? each, each);
      }
    }

    return {
      step(seconds) {
        for (let left = seconds; left > 1e-9; left -= MAX_STEP_S) {
          if (calibratingS > 0) calibrate(Math.min(left, MAX_STEP_S));
          else follow(Math.min(left, MAX_STEP_S));
        }
      },
      read: () => ({
        value: raw.map(calibrated),
        ...{ raw: [...raw], min: [...min], max: [...max] },
        position: onLine ? rounded(position, 3) : null,
        ...{ on_line: onLine, calibrating: calibratingS > 0 },
        ...{ x_m: rounded(x, 3), y_m: rounded(y, 3), heading_rad: rounded(heading, 3) },
      }),
      command(): CommandAnswer {
        calibratingS = CALIBRATE_S;
        for (const i of min.keys()) [min[i], max[i]] = [raw[i] ?? RAW_WHITE, raw[i] ?? RAW_WHITE];
        return { ok: true };
      },
    };
  },
};

import { solve } from "../../parts/maths/maths.ts";
import { lengthOf, type Motion, type Vector } from "./attitude.ts";

const GRAVITY = 9.806_65;
export const HOLD_S = 3;
/** A board that turns faster than this is not still. */
const STILL_RAD_S = 0.05;
/** This much of gravity is along one axis when the board lies on a side. */
const ON_A_SIDE = 0.9;
const MAX_FIELD_POINTS = 2_000;

/** Which way is up, in the order in which people are asked. */
export const SIDES = ["+z", "-z", "+y", "-y", "+x", "-x"] as const;
export type Side = (typeof SIDES)[number];

export const SIDE_WORDS: Readonly<Record<Side, string>> = {
  "+z": "Put the board flat",
  "-z": "Put the board upside down",
  "+y": "Put the board on its right side",
  "-y": "Put the board on its left side",
  "+x": "Put the board on its back end",
  "-x": "Put the board on its front end",
};

/** What is taken off, and what the rest is multiplied with. */
export type Calibration = {
  accelOffset: number[];
  accelScale: number[];
  gyroOffset: number[];
  magOffset: number[];
  /** How far the length of gravity was off, at worst, before and after, in m/s². */
  before: number;
  after: number;
};

/** A guided calibration in progress. */
export type Calibrating = {
  take(motion: Motion, seconds: number): void;
  skip(): void;
  /** The side that is asked for next; undefined: all are done. */
  readonly wanted: Side | undefined;
  readonly done: number;
  /** How long the board has been still on a side that is not done yet. */
  readonly heldS: number;
  result(): Calibration;
};

export function sideOf(accel: Vector): Side | undefined {
  const length = lengthOf(accel);
  const axis = accel.findIndex((part) => Math.abs(part) > ON_A_SIDE * length);
  return axis < 0 ? undefined : (`${(accel[axis] ?? 0) > 0 ? "+" : "-"}${"xyz"[axis]}` as Side);
}

type Sum = { accel: number[]; gyro: number[]; count: number; seconds: number };

export function beginCalibration(): Calibrating {
  const sums = new Map<Side, Sum>();
  const skipped = new Set<Side>();
  const field: Vector[] = [];
  let current: { side: Side; sum: Sum } | undefined;
  const isDone = (side: Side) => skipped.has(side) || sums.has(side);

  return {
    take({ accel, gyro, mag }, seconds) {
      if (mag && field.length < MAX_FIELD_POINTS) field.push(mag);
      const side = sideOf(accel);
      if (!side || lengthOf(gyro) > STILL_RAD_S || isDone(side)) {
        current = undefined;
        return;
      }
      if (current?.side !== side) current = { side, sum: { accel: [0, 0, 0], gyro: [0, 0, 0], count: 0, seconds: 0 } };
      const { sum } = current;
      for (const axis of [0, 1, 2]) {
        sum.accel[axis] = (sum.accel[axis] ?? 0) + (accel[axis] ?? 0);
        sum.gyro[axis] = (sum.gyro[axis] ?? 0) + (gyro[axis] ?? 0);
      }
      sum.count += 1;
      sum.seconds += seconds;
      if (sum.seconds >= HOLD_S) {
        sums.set(side, sum);
        current = undefined;
      }
    },
    skip() {
      const side = SIDES.find((each) => !isDone(each));
      if (side) skipped.add(side);
    },
    get wanted() {
      return SIDES.find((each) => !isDone(each));
    },
    get done() {
      return SIDES.filter(isDone).length;
    },
    get heldS() {
      return current?.sum.seconds ?? 0;
    },
    result: () => resultOf(sums, field),
  };
}

function resultOf(sums: ReadonlyMap<Side, Sum>, field: readonly Vector[]): Calibration {
  const meanOf = (side: Side, axis: number) => {
    const sum = sums.get(side);
    return sum ? (sum.accel[axis] ?? 0) / sum.count : undefined;
  };
  const accelOffset = [0, 0, 0];
  const accelScale = [1, 1, 1];
  for (const axis of [0, 1, 2]) {
    const [up, down] = [meanOf(`+${"xyz"[axis]}` as Side, axis), meanOf(`-${"xyz"[axis]}` as Side, axis)];
    if (up === undefined || down === undefined || up - down < GRAVITY) continue;
    accelOffset[axis] = (up + down) / 2;
    accelScale[axis] = (2 * GRAVITY) / (up - down);
  }
  const all = [...sums.values()];
  const total = Math.max(
    1,
    all.reduce((sum, { count }) => sum + count, 0),
  );
  const gyroOffset = [0, 1, 2].map((axis) => all.reduce((sum, { gyro }) => sum + (gyro[axis] ?? 0), 0) / total);
  const offBy = (offset: readonly number[], scale: readonly number[]) =>
    Math.max(
      0,
      ...all.map(({ accel, count }) => {
        const corrected = accel.map((part, axis) => (part / count - (offset[axis] ?? 0)) * (scale[axis] ?? 1));
        return Math.abs(lengthOf(corrected) - GRAVITY);
      }),
    );
  return {
    ...{ accelOffset, accelScale, gyroOffset, magOffset: centreOf(field) ?? [0, 0, 0] },
    ...{ before: offBy([0, 0, 0], [1, 1, 1]), after: offBy(accelOffset, accelScale) },
  };
}

const MIN_FIELD_POINTS = 20;

/** The middle of the sphere on which the points are: what iron that moves with the sensor adds. */
export function centreOf(points: readonly Vector[]): number[] | undefined {
  if (points.length < MIN_FIELD_POINTS) return undefined;
  const rows = [0, 1, 2, 3].map(() => [0, 0, 0, 0, 0]);
  for (const [x, y, z] of points) {
    const known = [2 * x, 2 * y, 2 * z, 1, x * x + y * y + z * z];
    for (const [i, row] of rows.entries())
      for (const j of [0, 1, 2, 3, 4]) row[j] = (row[j] ?? 0) + (known[i] ?? 0) * (known[j] ?? 0);
  }
  return solve(rows)?.slice(0, 3);
}

/** What the sensor would have measured without its faults. */
export function corrected({ accel, gyro, mag }: Motion, calibration: Calibration | undefined): Motion {
  if (!calibration) return { accel, gyro, mag };
  const { accelOffset, accelScale, gyroOffset, magOffset } = calibration;
  const less = (vector: Vector, offset: readonly number[], scale: readonly number[] = [1, 1, 1]) =>
    vector.map((part, i) => (part - (offset[i] ?? 0)) * (scale[i] ?? 1)) as unknown as Vector;
  return {
    accel: less(accel, accelOffset, accelScale),
    gyro: less(gyro, gyroOffset),
    mag: mag && less(mag, magOffset),
  };
}

// Turns: a quaternion takes a vector of the body to the room, whose x is north, y west and z up.
import { itemOf } from "../../parts/maths/maths.ts";

export type Vector = readonly [x: number, y: number, z: number];
export type Quaternion = readonly [w: number, x: number, y: number, z: number];

export const degrees = (rad: number): number => (rad * 180) / Math.PI;

function multiply([a, b, c, d]: Quaternion, [e, f, g, h]: Quaternion): Quaternion {
  return [
    a * e - b * f - c * g - d * h,
    a * f + b * e + c * h - d * g,
    a * g - b * h + c * e + d * f,
    a * h + b * g - c * f + d * e,
  ];
}

/** A vector of the body in the room. */
export function turn(q: Quaternion, [x, y, z]: Vector): Vector {
  const [, a, b, c] = multiply(multiply(q, [0, x, y, z]), [q[0], -q[1], -q[2], -q[3]]);
  return [a, b, c];
}

/** A vector of the room, as the body sees it. */
export const turnBack = ([w, x, y, z]: Quaternion, vector: Vector): Vector => turn([w, -x, -y, -z], vector);

export const lengthOf = (vector: readonly number[]): number => Math.hypot(...vector);

const cross = ([a, b, c]: Vector, [d, e, f]: Vector): Vector => [b * f - c * e, c * d - a * f, a * e - b * d];

const scaled = <Each extends Vector | Quaternion>(vector: Each, by: number): Each =>
  vector.map((part) => part * by) as unknown as Each;

const unit = <Each extends Vector | Quaternion>(vector: Each): Each => scaled(vector, 1 / lengthOf(vector));

/** In degrees; the yaw is from 0 to 360. */
export type Angles = { roll: number; pitch: number; yaw: number };

export function anglesOf([w, x, y, z]: Quaternion): Angles {
  return {
    roll: degrees(Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))),
    pitch: degrees(Math.asin(Math.max(-1, Math.min(1, 2 * (w * y - z * x))))),
    yaw: (degrees(Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))) + 360) % 360,
  };
}

/** From −180° to 180°. */
export const angleBetween = (from: number, to: number): number => ((((to - from) % 360) + 540) % 360) - 180;

/** A quaternion as a device sends it: of any length but 0, w first. */
export function quaternionOf(list: unknown): Quaternion | undefined {
  const q: Quaternion = [itemOf(list, 0), itemOf(list, 1), itemOf(list, 2), itemOf(list, 3)];
  return lengthOf(q) > 1e-6 ? unit(q) : undefined;
}

export function vectorOf(list: unknown): Vector | undefined {
  const vector: Vector = [itemOf(list, 0), itemOf(list, 1), itemOf(list, 2)];
  return vector.some(Number.isNaN) ? undefined : vector;
}

export type Motion = { accel: Vector; gyro: Vector; mag: Vector | undefined };

export type Fusion = {
  /** Goes on by one sample, this long after the last. */
  step(motion: Motion, seconds: number): Quaternion;
};

const GRAVITY = 9.806_65;
/** While something else pushes, the accelerometer does not say where down is. */
const MAX_PUSH = 0.1;
const PROPORTIONAL = 1;
const INTEGRAL = 0.02;
/** After a gap nobody knows how it was turned. */
const MAX_GAP_S = 0.5;

/** Where down and north are, says where the body is turned to. */
export function align({ accel, mag }: Pick<Motion, "accel" | "mag">): Quaternion {
  const up = unit(accel);
  const seen = mag && lengthOf(cross(up, mag)) > 1e-6 ? mag : ([1, 0, 0] as const);
  const side = cross(up, seen);
  const west = lengthOf(side) > 1e-6 ? unit(side) : unit(cross(up, [0, 1, 0]));
  const north = cross(west, up);
  return fromRows(north, west, up);
}

/** Of the rotation whose rows these are. */
function fromRows(x: Vector, y: Vector, z: Vector): Quaternion {
  const w = Math.sqrt(Math.max(0, 1 + x[0] + y[1] + z[2])) / 2;
  if (w > 1e-3)
    return unit([w, (z[1] - y[2]) / (4 * w), (x[2] - z[0]) / (4 * w), (y[0] - x[1]) / (4 * w)] as Quaternion);
  const [a, b, c] = [x[0], y[1], z[2]].map((part) => Math.sqrt(Math.max(0, (1 + part) / 2))) as [
    number,
    number,
    number,
  ];
  if (a >= b && a >= c) return unit([0, a, (x[1] + y[0]) / (4 * a), (x[2] + z[0]) / (4 * a)] as Quaternion);
  if (b >= c) return unit([0, (x[1] + y[0]) / (4 * b), b, (y[2] + z[1]) / (4 * b)] as Quaternion);
  return unit([0, (x[2] + z[0]) / (4 * c), (y[2] + z[1]) / (4 * c), c] as Quaternion);
}

/** Mahony's filter: rates are added up, and gravity and the field of the earth pull what drifts back. */
export function createFusion(): Fusion {
  let q: Quaternion | undefined;
  let bias: Vector = [0, 0, 0];
  return {
    step({ accel, gyro, mag }, seconds) {
      if (!q || seconds > MAX_GAP_S || seconds < 0) {
        q = align({ accel, mag });
        return q;
      }
      let error: Vector = [0, 0, 0];
      const pull = (measured: Vector, expected: Vector) => {
        error = cross(unit(measured), unit(expected)).map((part, i) => part + (error[i] ?? 0)) as unknown as Vector;
      };
      if (Math.abs(lengthOf(accel) / GRAVITY - 1) < MAX_PUSH) pull(accel, turnBack(q, [0, 0, 1]));
      if (mag && lengthOf(mag) > 1e-6) {
        const [x, y, z] = turn(q, mag);
        pull(mag, turnBack(q, [Math.hypot(x, y), 0, z]));
      }
      bias = bias.map((part, i) => part + INTEGRAL * (error[i] ?? 0) * seconds) as unknown as Vector;
      const rates = gyro.map((rate, i) => rate + (bias[i] ?? 0) + PROPORTIONAL * (error[i] ?? 0)) as unknown as Vector;
      const angle = lengthOf(rates) * seconds;
      const by = angle < 1e-9 ? seconds / 2 : (Math.sin(angle / 2) * seconds) / angle;
      q = unit(multiply(q, [Math.cos(angle / 2), rates[0] * by, rates[1] * by, rates[2] * by]));
      return q;
    },
  };
}

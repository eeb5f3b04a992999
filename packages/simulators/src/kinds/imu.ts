import { noise, type Random, rounded, type SimulatedKind, timed } from "../simulator.ts";

const GRAVITY_M_S2 = 9.806_65;
/** The field of the earth in the middle of Europe: north, and down. */
const FIELD_UT = [20, 0, -44] as const;
const GYRO_BIAS_RAD_S = [0.004, -0.003, 0.002] as const;
const ACCEL_BIAS_M_S2 = [0.12, -0.08, 0.05] as const;
const ACCEL_SCALE = [1.004, 0.997, 1.002] as const;
/** Iron beside the sensor. */
const HARD_IRON_UT = [4, -2.5, 1.5] as const;
const SOFT_IRON = [1.03, 0.98, 1] as const;
const GYRO_NOISE_RAD_S = 0.000_9;
const ACCEL_NOISE_M_S2 = 0.02;
const MAG_NOISE_UT = 0.15;
/** The device's own idea of where north is turns away slowly. */
const YAW_DRIFT_RAD_S = (3 * Math.PI) / 180 / 3_600;
const TURN_S = 2;

type Vector = readonly [number, number, number];
type Quaternion = readonly [w: number, x: number, y: number, z: number];

/** Held for so long, then turned to the next one: flat, moved about, then once on every side. */
const POSES: readonly (readonly [holdS: number, roll: number, pitch: number, yaw: number])[] = [
  [30, 0, 0, 40],
  [1, -12.4, 6.8, 120],
  [1, 20, -15, 200],
  [2, -12.4, 6.8, 214.6],
  [5, 0, 0, 214.6],
  [5, 180, 0, 214.6],
  [5, 90, 0, 214.6],
  [5, -90, 0, 214.6],
  [5, 0, 90, 214.6],
  [5, 0, -90, 214.6],
];

const rad = (degrees: number): number => (degrees * Math.PI) / 180;

function turned(roll: number, pitch: number, yaw: number): Quaternion {
  const [cr, sr] = [Math.cos(rad(roll) / 2), Math.sin(rad(roll) / 2)];
  const [cp, sp] = [Math.cos(rad(pitch) / 2), Math.sin(rad(pitch) / 2)];
  const [cy, sy] = [Math.cos(rad(yaw) / 2), Math.sin(rad(yaw) / 2)];
  return [
    cr * cp * cy + sr * sp * sy,
    sr * cp * cy - cr * sp * sy,
    cr * sp * cy + sr * cp * sy,
    cr * cp * sy - sr * sp * cy,
  ];
}

function times([a, b, c, d]: Quaternion, [e, f, g, h]: Quaternion): Quaternion {
  return [
    a * e - b * f - c * g - d * h,
    a * f + b * e + c * h - d * g,
    a * g - b * h + c * e + d * f,
    a * h + b * g - c * f + d * e,
  ];
}

const back = ([w, x, y, z]: Quaternion): Quaternion => [w, -x, -y, -z];

/** A vector of the room, as the body sees it. */
function seenFrom(q: Quaternion, [x, y, z]: Vector): Vector {
  const [, a, b, c] = times(times(back(q), [0, x, y, z]), q);
  return [a, b, c];
}

function between(from: Quaternion, to: Quaternion, share: number): Quaternion {
  const dot = from.reduce((sum, each, i) => sum + each * (to[i] ?? 0), 0);
  const near = (dot < 0 ? to.map((each) => -each) : to) as unknown as Quaternion;
  const angle = Math.acos(Math.min(1, Math.abs(dot)));
  if (angle < 1e-6) return near;
  const [a, b] = [Math.sin((1 - share) * angle) / Math.sin(angle), Math.sin(share * angle) / Math.sin(angle)];
  return from.map((each, i) => a * each + b * (near[i] ?? 0)) as unknown as Quaternion;
}

const CYCLE_S = POSES.reduce((sum, [holdS]) => sum + holdS + TURN_S, 0);

/** The attitude at a time: it eases from pose to pose. */
function attitudeAt(atS: number): Quaternion {
  let left = ((atS % CYCLE_S) + CYCLE_S) % CYCLE_S;
  for (const [place, [holdS, ...pose]] of POSES.entries()) {
    const from = turned(...pose);
    if (left < holdS) return from;
    left -= holdS;
    const [, ...next] = POSES[(place + 1) % POSES.length] ?? [0, 0, 0, 0];
    if (left < TURN_S) return between(from, turned(...next), 0.5 - 0.5 * Math.cos((Math.PI * left) / TURN_S));
    left -= TURN_S;
  }
  return [1, 0, 0, 0];
}

const STEP_S = 0.001;

function ratesAt(atS: number): Vector {
  const [, x, y, z] = times(back(attitudeAt(atS - STEP_S)), attitudeAt(atS + STEP_S));
  return [x / STEP_S, y / STEP_S, z / STEP_S];
}

const listed = (values: Vector, change: (value: number, axis: number) => number, digits: number): number[] =>
  values.map((value, axis) => rounded(change(value, axis), digits));

function measure(random: Random, atS: number) {
  const q = attitudeAt(atS);
  const yaw = (YAW_DRIFT_RAD_S * atS) / 2;
  const said = times([Math.cos(yaw), 0, 0, Math.sin(yaw)], q);
  return {
    q: said.map((each) => rounded(each + noise(random, 0.000_1), 5)),
    accel_m_s2: listed(
      seenFrom(q, [0, 0, GRAVITY_M_S2]),
      (value, axis) =>
        value * (ACCEL_SCALE[axis] ?? 1) + (ACCEL_BIAS_M_S2[axis] ?? 0) + noise(random, ACCEL_NOISE_M_S2),
      4,
    ),
    gyro_rad_s: listed(
      ratesAt(atS),
      (value, axis) => value + (GYRO_BIAS_RAD_S[axis] ?? 0) + noise(random, GYRO_NOISE_RAD_S),
      5,
    ),
    mag_ut: listed(
      seenFrom(q, FIELD_UT),
      (value, axis) => value * (SOFT_IRON[axis] ?? 1) + (HARD_IRON_UT[axis] ?? 0) + noise(random, MAG_NOISE_UT),
      2,
    ),
    temperature_c: rounded(31 + 0.5 * Math.sin(atS / 200) + noise(random, 0.02), 2),
  };
}

export const imu: SimulatedKind = {
  kind: "imu",
  name: "IMU",
  model: "BNO085",
  description: "A board that is turned to every side: attitude, rates, acceleration, field",
  nodes: {
    imu: {
      ...{ name: "Attitude", kind: "imu", rateHz: 60 },
      fields: {
        q: { type: "array" },
        accel_m_s2: { type: "array", unit: "m/s²" },
        gyro_rad_s: { type: "array", unit: "rad/s" },
        mag_ut: { type: "array", unit: "µT" },
        temperature_c: { unit: "°C", min: -40, max: 85 },
      },
    },
  },
  create: (random) => timed((atS) => measure(random, atS)),
};

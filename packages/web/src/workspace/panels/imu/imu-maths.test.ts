import assert from "node:assert/strict";
import { test } from "node:test";
import {
  align,
  angleBetween,
  anglesOf,
  createFusion,
  type Quaternion,
  quaternionOf,
  turn,
  turnBack,
} from "./attitude.ts";
import { beginCalibration, centreOf, corrected, sideOf } from "./calibration.ts";
import { allanDeviation, driftPerHour, noiseDensity } from "./figures.ts";

const near = (value: number, expected: number, by: number, what = "") =>
  assert.ok(Math.abs(value - expected) <= by, `${what} ${value} is not ${expected} ± ${by}`);

const half = Math.SQRT1_2;
const UP = [0, 0, 9.806_65] as const;
const NORTH = [20, 0, -44] as const;

test("angles of turns that are known by heart", () => {
  assert.deepEqual(anglesOf([1, 0, 0, 0]), { roll: 0, pitch: 0, yaw: 0 });
  near(anglesOf([half, half, 0, 0]).roll, 90, 1e-9);
  near(anglesOf([half, 0, half, 0]).pitch, 90, 1e-5);
  near(anglesOf([half, 0, 0, -half]).yaw, 270, 1e-9);
  assert.deepEqual(
    turn([half, 0, 0, half], [1, 0, 0]).map((part) => Math.round(part * 1e9) / 1e9),
    [0, 1, 0],
  );
  assert.deepEqual(quaternionOf([2, 0, 0, 0]), [1, 0, 0, 0]);
  for (const bad of [[0, 0, 0, 0], [1, 2, 3], "q", [1, null, 0, 0], undefined])
    assert.equal(quaternionOf(bad), undefined);
  assert.deepEqual([angleBetween(350, 10), angleBetween(10, 350), angleBetween(0, 180)], [20, -20, -180]);
});

const ATTITUDES: Quaternion[] = [
  [1, 0, 0, 0],
  [half, half, 0, 0],
  [0, 1, 0, 0],
  [0, 0, 1, 0],
  [0, 0, 0, 1],
  [0.5, -0.5, 0.5, 0.5],
];

test("gravity and the field of the earth say how a body is turned, in every attitude", () => {
  for (const q of ATTITUDES) {
    const found = align({ accel: turnBack(q, UP), mag: turnBack(q, NORTH) });
    const dot = Math.abs(found.reduce((sum, part, i) => sum + part * (q[i] ?? 0), 0));
    near(dot, 1, 1e-9, String(q));
  }
});

test("the filter follows a turn of 90°, and learns the bias of a gyroscope that is still", () => {
  const fusion = createFusion();
  const rate = Math.PI / 2 / 2;
  let q: Quaternion = [1, 0, 0, 0];
  for (let i = 0; i <= 200; i += 1) {
    const angle = (i / 100) * rate;
    const truth: Quaternion = [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];
    q = fusion.step({ accel: turnBack(truth, UP), gyro: [0, 0, rate], mag: turnBack(truth, NORTH) }, 0.01);
  }
  near(anglesOf(q).yaw, 90, 0.5);
  const still = createFusion();
  for (let i = 0; i < 60_000; i += 1)
    q = still.step({ accel: [...UP], gyro: [0.02, -0.01, 0.01], mag: [...NORTH] }, 0.01);
  const { roll, pitch, yaw } = anglesOf(q);
  for (const angle of [roll, pitch, angleBetween(0, yaw)]) near(angle, 0, 0.05);
});

test("Allan deviation: of a ramp, of values that alternate, and of white noise", () => {
  // A ramp of 1 per sample: neighbouring groups of m differ by m.
  near(
    allanDeviation(
      Array.from({ length: 100 }, (_, i) => i),
      5,
    ),
    5 / Math.SQRT2,
    1e-9,
  );
  near(
    allanDeviation(
      Array.from({ length: 100 }, (_, i) => i % 2),
      1,
    ),
    1 / Math.SQRT2,
    1e-9,
  );
  assert.equal(
    allanDeviation(
      Array.from({ length: 100 }, (_, i) => i % 2),
      2,
    ),
    0,
  );
  assert.ok(Number.isNaN(allanDeviation([1, 2], 2)));
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  // Equal in [0, 1): its deviation is 1/√12, and so its density at 100 Hz is 1/√12/10.
  const white = Array.from({ length: 20_000 }, random);
  near(noiseDensity(white, 0.01), 1 / Math.sqrt(12) / 10, 0.001);
});

test("drift is the slope of the angle, also over north", () => {
  const points = Array.from({ length: 60 }, (_, s) => [s, (359.99 + (3 * s) / 3_600) % 360] as const);
  near(driftPerHour(points), 3, 1e-6);
});

test("six sides give offset and scale of the accelerometer, and the bias of the gyroscope", () => {
  const calibrating = beginCalibration();
  const [offset, scale] = [
    [0.12, -0.08, 0.05],
    [1.004, 0.997, 1.002],
  ];
  const asked: string[] = [];
  for (let guard = 0; calibrating.wanted && guard < 6; guard += 1) {
    const side = calibrating.wanted;
    asked.push(side);
    const pure = ["x", "y", "z"].map((axis) => (side[1] === axis ? (side[0] === "+" ? 9.806_65 : -9.806_65) : 0));
    const accel = pure.map((part, i) => part * (scale[i] ?? 1) + (offset[i] ?? 0)) as [number, number, number];
    assert.equal(sideOf(accel), side);
    calibrating.take({ accel, gyro: [1, 0, 0], mag: undefined }, 0.5);
    assert.equal(calibrating.heldS, 0, "a board that turns is not still");
    for (let i = 0; i < 6; i += 1) calibrating.take({ accel, gyro: [0.01, 0, 0], mag: undefined }, 0.5);
  }
  assert.deepEqual(asked, ["+z", "-z", "+y", "-y", "+x", "-x"]);
  const found = calibrating.result();
  for (const axis of [0, 1, 2]) {
    near(found.accelOffset[axis] ?? 0, offset[axis] ?? 0, 1e-9);
    near(found.accelScale[axis] ?? 0, 1 / (scale[axis] ?? 1), 1e-9);
  }
  near(found.gyroOffset[0] ?? 0, 0.01, 1e-9);
  near(found.after, 0, 0.01);
  assert.ok(found.before > 0.1);
  const { accel } = corrected(
    { accel: [0.12, -0.08, 9.806_65 * 1.002 + 0.05], gyro: [0, 0, 0], mag: undefined },
    found,
  );
  near(accel[2], 9.806_65, 1e-9);
});

test("a side that is skipped leaves its axis as it is", () => {
  const calibrating = beginCalibration();
  for (let i = 0; i < 6; i += 1) calibrating.skip();
  assert.equal(calibrating.wanted, undefined);
  assert.deepEqual(calibrating.result().accelScale, [1, 1, 1]);
});

test("the middle of a sphere is what iron beside the sensor adds", () => {
  const points = Array.from({ length: 50 }, (_, i) => {
    const [a, b] = [i, i * 0.37];
    return [4 + 48 * Math.cos(a) * Math.cos(b), -2 + 48 * Math.sin(a) * Math.cos(b), 1 + 48 * Math.sin(b)] as const;
  });
  const [x = 0, y = 0, z = 0] = centreOf(points) ?? [];
  for (const [found, expected] of [
    [x, 4],
    [y, -2],
    [z, 1],
  ] as const)
    near(found, expected, 1e-6);
  assert.equal(centreOf(points.slice(0, 3)), undefined);
});

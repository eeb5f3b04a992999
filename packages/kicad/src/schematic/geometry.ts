/** Millimetres. On a sheet y grows downwards; inside a library symbol it grows upwards. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** From the coordinates of a library symbol to those of its sheet: x' = a·x + b·y + x0, y' = c·x + d·y + y0. */
export interface Transform {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
  readonly x0: number;
  readonly y0: number;
}

export type Mirror = "x" | "y";

/** KiCad's own unit is 100 nm. Two points that are equal in it are one place. */
const UNITS_PER_MM = 10_000;

const ROTATIONS: Readonly<Record<number, readonly [number, number, number, number]>> = {
  0: [1, 0, 0, -1],
  90: [0, -1, -1, 0],
  180: [-1, 0, 0, 1],
  270: [0, 1, 1, 0],
};

/** Symbols turn in steps of 90°; KiCad treats other angles as 0. Mirror is applied after the rotation. */
export function symbolTransform(at: Point, angle: number, mirror: Mirror | undefined): Transform {
  let [a, b, c, d] = ROTATIONS[normalAngle(angle)] ?? [1, 0, 0, -1];
  if (mirror === "y") [a, b] = [-a, -b];
  if (mirror === "x") [c, d] = [-c, -d];
  return { a, b, c, d, x0: at.x, y0: at.y };
}

export const transformPoint = (transform: Transform, point: Point): Point => ({
  x: round(transform.a * point.x + transform.b * point.y + transform.x0),
  y: round(transform.c * point.x + transform.d * point.y + transform.y0),
});

/** An angle in degrees, from 0 to less than 360. */
export const normalAngle = (degrees: number): number => ((degrees % 360) + 360) % 360;

/** To KiCad's unit, which takes away what adding of fractions left. */
export const round = (mm: number): number => Math.round(mm * UNITS_PER_MM) / UNITS_PER_MM;

/** One string for one place. */
export const placeKey = (point: Point): string =>
  `${Math.round(point.x * UNITS_PER_MM)},${Math.round(point.y * UNITS_PER_MM)}`;

export const samePlace = (one: Point, other: Point): boolean =>
  Math.round(one.x * UNITS_PER_MM) === Math.round(other.x * UNITS_PER_MM) &&
  Math.round(one.y * UNITS_PER_MM) === Math.round(other.y * UNITS_PER_MM);

/** Whether `point` is on the line from `start` to `end`, its ends included. */
export function isOnLine(point: Point, start: Point, end: Point): boolean {
  const [px, py] = [Math.round(point.x * UNITS_PER_MM), Math.round(point.y * UNITS_PER_MM)];
  const [sx, sy] = [Math.round(start.x * UNITS_PER_MM), Math.round(start.y * UNITS_PER_MM)];
  const [ex, ey] = [Math.round(end.x * UNITS_PER_MM), Math.round(end.y * UNITS_PER_MM)];
  if (px < Math.min(sx, ex) || px > Math.max(sx, ex) || py < Math.min(sy, ey) || py > Math.max(sy, ey)) return false;
  return (ex - sx) * (py - sy) === (ey - sy) * (px - sx);
}

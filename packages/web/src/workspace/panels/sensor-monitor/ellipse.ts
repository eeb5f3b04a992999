import { solve } from "../../parts/maths/maths.ts";

export type Point = readonly [x: number, y: number];

export type Ellipse = { x: number; y: number; long: number; short: number; angleRad: number; rms: number };

const COEFFICIENTS = 5;

/** The ellipse nearest to points, by least squares of A x² + B xy + C y² + D x + E y = 1. Undefined: they lie on none. */
export function fitEllipse(points: readonly Point[]): Ellipse | undefined {
  if (points.length < 2 * COEFFICIENTS) return undefined;
  const [mx, my] = [meanOf(points, 0), meanOf(points, 1)];
  const scale = Math.sqrt(points.reduce((sum, [x, y]) => sum + (x - mx) ** 2 + (y - my) ** 2, 0) / points.length);
  if (!(scale > 0)) return undefined;
  const matrix = Array.from({ length: COEFFICIENTS }, () => new Array<number>(COEFFICIENTS + 1).fill(0));
  for (const [px, py] of points) {
    const [x, y] = [(px - mx) / scale, (py - my) / scale];
    const row = [x * x, x * y, y * y, x, y];
    for (const [i, a] of row.entries()) {
      const line = matrix[i] as number[];
      for (const [j, b] of row.entries()) line[j] = (line[j] as number) + a * b;
      line[COEFFICIENTS] = (line[COEFFICIENTS] as number) + a;
    }
  }
  const solved = solve(matrix);
  const shape = solved && shapeOf(solved);
  if (!shape) return undefined;
  const ellipse = {
    ...shape,
    x: shape.x * scale + mx,
    y: shape.y * scale + my,
    long: shape.long * scale,
    short: shape.short * scale,
  };
  return {
    ...ellipse,
    rms: Math.sqrt(points.reduce((sum, point) => sum + distance(ellipse, point) ** 2, 0) / points.length),
  };
}

const meanOf = (points: readonly Point[], which: 0 | 1): number =>
  points.reduce((sum, point) => sum + point[which], 0) / points.length;

function shapeOf([a = 0, b = 0, c = 0, d = 0, e = 0]: number[]): Omit<Ellipse, "rms"> | undefined {
  const determinant = 4 * a * c - b * b;
  if (!(determinant > 0)) return undefined;
  const x = (b * e - 2 * c * d) / determinant;
  const y = (b * d - 2 * a * e) / determinant;
  const right = 1 + a * x * x + b * x * y + c * y * y;
  const spread = Math.hypot(a - c, b);
  const [steep, flat] = [(a + c + spread) / 2, (a + c - spread) / 2];
  if (!(right / steep > 0) || !(right / flat > 0)) return undefined;
  const [short, long] = [Math.sqrt(right / steep), Math.sqrt(right / flat)];
  // The long axis lies where the form is flattest.
  const angleRad = 0.5 * Math.atan2(-b, c - a);
  return { x, y, long, short, angleRad };
}

/** How far a point is from the ellipse, along the line from its centre. */
function distance({ x, y, long, short, angleRad }: Omit<Ellipse, "rms">, [px, py]: Point): number {
  const [cos, sin] = [Math.cos(angleRad), Math.sin(angleRad)];
  const [u, v] = [(px - x) * cos + (py - y) * sin, -(px - x) * sin + (py - y) * cos];
  const size = Math.hypot(u / long, v / short);
  return size === 0 ? short : Math.hypot(u, v) * (1 - 1 / size);
}

export function correlationOf(points: readonly Point[]): number {
  const [mx, my] = [meanOf(points, 0), meanOf(points, 1)];
  let [xy, xx, yy] = [0, 0, 0];
  for (const [x, y] of points) {
    xy += (x - mx) * (y - my);
    xx += (x - mx) ** 2;
    yy += (y - my) ** 2;
  }
  return xy / Math.sqrt(xx * yy);
}

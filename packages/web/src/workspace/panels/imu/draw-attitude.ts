import type { Pen } from "../../parts/drawing/drawing.tsx";
import { line } from "../../parts/drawing/horizon.ts";
import { type Quaternion, turn, type Vector } from "./attitude.ts";

const RAD = Math.PI / 180;

type Ink = Pick<Pen, "context" | "palette">;

const SIZE: Vector = [0.62, 0.42, 0.09];
const FACES: readonly (readonly [normal: Vector, corners: readonly Vector[]])[] = [0, 1, 2].flatMap((axis) =>
  [-1, 1].map((way) => {
    const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
    const corner = (a: number, b: number): Vector => {
      const at = [0, 0, 0];
      at[axis] = way * (SIZE[axis] ?? 0);
      at[u] = a * (SIZE[u] ?? 0);
      at[v] = b * (SIZE[v] ?? 0);
      return at as unknown as Vector;
    };
    const normal = [0, 0, 0];
    normal[axis] = way;
    return [normal as unknown as Vector, [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)]] as const;
  }),
);

/** Looked at from the south and above: x is away, y to the left, z up. */
const VIEW_DOWN = 32 * RAD;
const project = ([x, y, z]: Vector): [x: number, y: number, near: number] => [
  -y,
  -(z * Math.cos(VIEW_DOWN) + x * Math.sin(VIEW_DOWN)),
  z * Math.sin(VIEW_DOWN) - x * Math.cos(VIEW_DOWN),
];

/** The board as it lies in the room, with its axes. */
export function drawBody({ context, palette, width, height }: Pen, q: Quaternion | undefined): void {
  const unitPx = Math.min(width, height) / 2.5;
  context.save();
  context.translate(width / 2, height * 0.56);
  context.strokeStyle = palette.colour("line");
  for (const share of [0.55, 1]) {
    context.beginPath();
    context.ellipse(0, 0, share * unitPx, share * unitPx * Math.sin(VIEW_DOWN), 0, 0, 2 * Math.PI);
    context.stroke();
  }
  if (q) {
    for (const [normal, corners] of FACES) {
      const [, , near] = project(turn(q, normal));
      if (near <= 0) continue;
      const points = corners.map((corner) => project(turn(q, corner)));
      context.beginPath();
      for (const [x, y] of points) context.lineTo(x * unitPx, y * unitPx);
      context.closePath();
      // The board is graphite in both themes.
      context.fillStyle = `rgb(${[38, 45, 54].map((part) => Math.round(part * (0.75 + 0.5 * near))).join(" ")})`;
      context.fill();
      context.strokeStyle = palette.colour("line-strong");
      context.stroke();
    }
    drawAxes({ context, palette }, q, unitPx);
  }
  context.restore();
}

function drawAxes({ context, palette }: Ink, q: Quaternion, unitPx: number): void {
  const ends: readonly (readonly [string, Vector])[] = [
    ["x", [0.95, 0, 0]],
    ["y", [0, 0.95, 0]],
    ["z", [0, 0, 0.7]],
  ];
  for (const [place, [name, end]] of ends.entries()) {
    const [x, y] = project(turn(q, end)).map((part) => part * unitPx) as [number, number, number];
    context.strokeStyle = palette.series(place + 1);
    context.fillStyle = palette.series(place + 1);
    context.lineWidth = 1.75;
    line(context, 0, 0, x, y);
    context.beginPath();
    context.arc(x, y, 3, 0, 2 * Math.PI);
    context.fill();
    context.fillStyle = palette.colour("text");
    context.textAlign = "center";
    context.textBaseline = "middle";
    const away = 10 / Math.max(1, Math.hypot(x, y));
    context.fillText(name, x * (1 + away), y * (1 + away));
  }
  context.lineWidth = 1;
}

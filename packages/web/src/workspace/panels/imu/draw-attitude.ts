import type { Pen } from "../../parts/drawing/drawing.tsx";
import { withAlpha } from "../../parts/plot/paint.ts";
import { anglesOf, type Quaternion, turn, type Vector } from "./attitude.ts";

const RAD = Math.PI / 180;
/** From the middle of the horizon to its rim. */
const SHOWN_DEG = 45;
const BANK_TICKS = [-60, -45, -30, -20, -10, 0, 10, 20, 30, 45, 60];

/** The horizon as a pilot sees it. `also`: a second attitude, as a dotted line. */
export function drawHorizon({ context, palette, width, height }: Pen, q: Quaternion | undefined, also?: Quaternion) {
  const radius = Math.max(10, Math.min(width, height) / 2 - 6);
  context.save();
  context.translate(width / 2, height / 2);
  const rim = new Path2D();
  rim.arc(0, 0, radius, 0, 2 * Math.PI);
  context.save();
  context.clip(rim);
  context.fillStyle = palette.colour("sunken");
  context.fillRect(-radius, -radius, 2 * radius, 2 * radius);
  if (q) {
    ground({ context, palette }, q, radius);
    if (also) otherHorizon({ context, palette }, also, radius);
  }
  context.restore();
  context.strokeStyle = palette.colour("line-strong");
  context.stroke(rim);
  if (q) bankTicks({ context, palette }, anglesOf(q).roll, radius);
  ownMark({ context, palette }, radius);
  context.restore();
}

type Ink = Pick<Pen, "context" | "palette">;

const pitchPx = (pitch: number, radius: number): number => (pitch / SHOWN_DEG) * radius;

function ground({ context, palette }: Ink, q: Quaternion, radius: number): void {
  const { roll, pitch } = anglesOf(q);
  context.save();
  context.rotate(-roll * RAD);
  // y is to the left, so a positive pitch is nose down.
  context.translate(0, -pitchPx(pitch, radius));
  context.fillStyle = withAlpha(palette.colour("series-2"), 0.22);
  context.fillRect(-3 * radius, -6 * radius, 6 * radius, 6 * radius);
  context.fillStyle = withAlpha(palette.colour("series-1"), 0.28);
  context.fillRect(-3 * radius, 0, 6 * radius, 6 * radius);
  context.strokeStyle = palette.colour("text");
  context.lineWidth = 1.5;
  line(context, -3 * radius, 0, 3 * radius, 0);
  context.lineWidth = 1;
  context.fillStyle = palette.colour("text");
  context.textBaseline = "middle";
  for (const at of [-30, -20, -10, 10, 20, 30]) {
    const half = at % 20 === 0 ? radius * 0.28 : radius * 0.14;
    const y = pitchPx(-at, radius);
    line(context, -half, y, half, y);
    if (at % 20 !== 0) continue;
    context.textAlign = "end";
    context.fillText(String(Math.abs(at)), -half - 6, y);
    context.textAlign = "start";
    context.fillText(String(Math.abs(at)), half + 6, y);
  }
  context.restore();
}

function otherHorizon({ context, palette }: Ink, q: Quaternion, radius: number): void {
  const { roll, pitch } = anglesOf(q);
  context.save();
  context.rotate(-roll * RAD);
  context.translate(0, -pitchPx(pitch, radius));
  context.strokeStyle = palette.colour("series-3");
  context.setLineDash([2, 3]);
  line(context, -3 * radius, 0, 3 * radius, 0);
  context.restore();
}

function bankTicks({ context, palette }: Ink, roll: number, radius: number): void {
  context.strokeStyle = palette.colour("text");
  for (const at of BANK_TICKS) {
    const angle = (at - roll - 90) * RAD;
    const inner = radius - (at % 30 === 0 ? 9 : 5);
    line(context, inner * Math.cos(angle), inner * Math.sin(angle), radius * Math.cos(angle), radius * Math.sin(angle));
  }
  context.fillStyle = palette.colour("accent");
  context.beginPath();
  context.moveTo(0, -radius + 11);
  context.lineTo(-5, -radius + 20);
  context.lineTo(5, -radius + 20);
  context.fill();
}

/** What stands still: the wings of the body itself. */
function ownMark({ context, palette }: Ink, radius: number): void {
  context.strokeStyle = palette.colour("accent");
  context.lineWidth = 2.5;
  for (const side of [-1, 1]) {
    context.beginPath();
    context.moveTo(side * radius * 0.62, 0);
    context.lineTo(side * radius * 0.2, 0);
    context.lineTo(side * radius * 0.12, 6);
    context.stroke();
  }
  context.fillStyle = palette.colour("accent");
  context.beginPath();
  context.arc(0, 0, 2.5, 0, 2 * Math.PI);
  context.fill();
  context.lineWidth = 1;
}

function line(context: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

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

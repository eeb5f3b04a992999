import { amountsOf } from "../../parts/drawing/amount.ts";
import type { Pen } from "../../parts/drawing/drawing.tsx";
import { withAlpha, words } from "../../parts/plot/paint.ts";
import { tickStep } from "../../parts/plot/range.ts";
import { type Eye, FULL, type Step, THRESHOLD } from "./line.ts";

const AXIS_PX = 34;
const EDGE_PX = 12;

/** One bar per eye, and below them where the line is. */
export function drawEyes(pen: Pen, eyes: readonly Eye[], position: number, isRaw: boolean): void {
  const { context, palette, width, height } = pen;
  const amount = amountsOf(palette);
  const bottom = height - AXIS_PX;
  const slot = (width - 2 * EDGE_PX) / Math.max(1, eyes.length);
  const wide = slot * 0.56;
  const top = Math.max(1, ...eyes.map(({ raw, max }) => Math.max(raw || 0, max || 0)));
  const y = (share: number) => bottom - Math.max(0, Math.min(1, share)) * (bottom - 10);
  for (const [place, { value, raw, min, max }] of eyes.entries()) {
    const x = EDGE_PX + slot * (place + 0.5) - wide / 2;
    const shown = isRaw ? raw : value;
    const share = isRaw ? raw / top : value / FULL;
    context.fillStyle = palette.colour("sunken");
    context.fillRect(x, 10, wide, bottom - 10);
    if (Number.isNaN(shown)) continue;
    const { ground, ink } = amount(0.25 + 0.75 * share);
    context.fillStyle = ground;
    context.fillRect(x, y(share), wide, bottom - y(share));
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    const isInside = bottom - y(share) > 22;
    context.fillStyle = isInside ? ink : palette.colour("text");
    context.fillText(String(Math.round(shown)), x + wide / 2, isInside ? y(share) + 15 : y(share) - 5);
    if (!isRaw) continue;
    context.fillStyle = palette.colour("text");
    for (const edge of [min, max]) if (!Number.isNaN(edge)) context.fillRect(x - 4, y(edge / top), wide + 8, 1);
  }
  if (!isRaw) {
    context.strokeStyle = palette.colour("text");
    context.setLineDash([2, 3]);
    stroke(context, EDGE_PX, y(THRESHOLD / FULL), width - EDGE_PX, y(THRESHOLD / FULL));
    context.setLineDash([]);
  }
  drawPosition(pen, position);
}

function drawPosition(pen: Pen, position: number): void {
  const { context, palette, width, height } = pen;
  const y = height - 16;
  context.strokeStyle = palette.colour("line-strong");
  stroke(context, EDGE_PX, y, width - EDGE_PX, y);
  stroke(context, width / 2, y - 5, width / 2, y + 1);
  words(pen, "−1", EDGE_PX, height - 3);
  words(pen, "0", width / 2, height - 3, { align: "center" });
  words(pen, "+1", width - EDGE_PX, height - 3, { align: "end" });
  if (Number.isNaN(position)) return;
  const x = EDGE_PX + ((Math.max(-1, Math.min(1, position)) + 1) / 2) * (width - 2 * EDGE_PX);
  context.fillStyle = palette.colour("accent");
  context.beginPath();
  for (const [dx, dy] of [
    [0, -14],
    [6, -8],
    [6, 2],
    [-6, 2],
    [-6, -8],
  ] as const)
    context.lineTo(x + dx, y + dy);
  context.fill();
}

function stroke(context: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

const ROOM_PX = 22;

/** Where the robot has been, seen from above, with the same scale in both directions. */
export function drawTrail(pen: Pen, steps: readonly Step[], heading: number): void {
  const { context, palette, width, height } = pen;
  if (steps.length === 0) return;
  const of = (pick: (step: Step) => number, by: (...values: number[]) => number) => by(...steps.map(pick));
  const [x0, x1] = [of(({ x }) => x, Math.min), of(({ x }) => x, Math.max)];
  const [y0, y1] = [of(({ y }) => y, Math.min), of(({ y }) => y, Math.max)];
  const perM = Math.min(
    (width - 2 * ROOM_PX) / Math.max(0.2, x1 - x0),
    (height - 2 * ROOM_PX) / Math.max(0.2, y1 - y0),
  );
  const at = ({ x, y }: Pick<Step, "x" | "y">) =>
    [width / 2 + (x - (x0 + x1) / 2) * perM, height / 2 - (y - (y0 + y1) / 2) * perM] as const;
  const grid = tickStep(Math.max(width, height) / perM, 6);
  context.strokeStyle = palette.colour("line");
  for (let m = Math.ceil(-width / 2 / perM / grid) * grid; m * perM < width / 2; m += grid)
    stroke(context, width / 2 + m * perM, 0, width / 2 + m * perM, height);
  for (let m = Math.ceil(-height / 2 / perM / grid) * grid; m * perM < height / 2; m += grid)
    stroke(context, 0, height / 2 + m * perM, width, height / 2 + m * perM);
  context.lineCap = "round";
  for (const [wide, alpha] of [
    [8, 0.15],
    [1.75, 1],
  ] as const) {
    context.lineWidth = wide;
    for (let i = 1; i < steps.length; i += 1) {
      const [from, to] = [steps[i - 1] as Step, steps[i] as Step];
      context.strokeStyle = withAlpha(palette.colour(to.isOn ? "series-2" : "warn"), alpha);
      context.setLineDash(to.isOn ? [] : [3, 3]);
      stroke(context, ...at(from), ...at(to));
    }
  }
  context.setLineDash([]);
  context.lineWidth = 1;
  const [sx, sy] = at(steps[0] as Step);
  words(pen, "start", sx - 8, sy + 4, { align: "end" });
  drawRobot({ context, palette }, at(steps.at(-1) as Step), heading);
  const bar = grid * perM;
  context.strokeStyle = palette.colour("text");
  stroke(context, EDGE_PX, height - 10, EDGE_PX + bar, height - 10);
  words(pen, `${Number(grid.toFixed(2))} m`, EDGE_PX + bar + 6, height - 6, { colour: "text" });
}

function drawRobot(
  { context, palette }: Pick<Pen, "context" | "palette">,
  [x, y]: readonly [number, number],
  heading: number,
) {
  context.save();
  context.translate(x, y);
  context.rotate(Number.isNaN(heading) ? 0 : -heading);
  context.fillStyle = palette.colour("text");
  context.fillRect(-9, -7, 18, 14);
  context.fillStyle = palette.colour("accent");
  context.fillRect(7, -7, 4, 14);
  context.restore();
}

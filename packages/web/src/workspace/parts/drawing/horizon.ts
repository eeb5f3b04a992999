import { withAlpha } from "../plot/paint.ts";
import type { Pen } from "./drawing.tsx";

const RAD = Math.PI / 180;
/** From the middle of the horizon to its rim. */
const SHOWN_DEG = 45;
const BANK_TICKS = [-60, -45, -30, -20, -10, 0, 10, 20, 30, 45, 60];

/** In degrees. A positive roll is the right side down, a positive pitch the nose down. */
export type Bank = { roll: number; pitch: number };

/** The horizon as a pilot sees it. `also`: a second attitude, as a dotted line. */
export function drawHorizon({ context, palette, width, height }: Pen, bank: Bank | undefined, also?: Bank): void {
  const radius = Math.max(10, Math.min(width, height) / 2 - 6);
  context.save();
  context.translate(width / 2, height / 2);
  const rim = new Path2D();
  rim.arc(0, 0, radius, 0, 2 * Math.PI);
  context.save();
  context.clip(rim);
  context.fillStyle = palette.colour("sunken");
  context.fillRect(-radius, -radius, 2 * radius, 2 * radius);
  if (bank) {
    ground({ context, palette }, bank, radius);
    if (also) otherHorizon({ context, palette }, also, radius);
  }
  context.restore();
  context.strokeStyle = palette.colour("line-strong");
  context.stroke(rim);
  if (bank) bankTicks({ context, palette }, bank.roll, radius);
  ownMark({ context, palette }, radius);
  context.restore();
}

type Ink = Pick<Pen, "context" | "palette">;

const pitchPx = (pitch: number, radius: number): number => (pitch / SHOWN_DEG) * radius;

function ground({ context, palette }: Ink, { roll, pitch }: Bank, radius: number): void {
  context.save();
  context.rotate(-roll * RAD);
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

function otherHorizon({ context, palette }: Ink, { roll, pitch }: Bank, radius: number): void {
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

export function line(context: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

import type { Painter } from "../parts/plot/paint.ts";
import { words } from "../parts/plot/paint.ts";

export type Point = readonly [x: number, y: number | undefined];

type LineLook = { colour: string; dash?: number[]; width?: number };

/** A line through points; where there is no value there is no line. */
export function drawLine({ context, palette, x, y }: Painter, points: Iterable<Point>, look: LineLook): void {
  context.save();
  context.strokeStyle = palette.colour(look.colour);
  context.lineWidth = look.width ?? 1.5;
  context.lineJoin = "round";
  context.setLineDash(look.dash ?? []);
  context.beginPath();
  let isDown = false;
  for (const [at, value] of points) {
    if (value === undefined || Number.isNaN(value)) isDown = false;
    else {
      if (isDown) context.lineTo(x(at), y(value));
      else context.moveTo(x(at), y(value));
      isDown = true;
    }
  }
  context.stroke();
  context.restore();
}

export function drawDots({ context, palette, x, y }: Painter, points: Iterable<Point>, colour: string): void {
  context.fillStyle = palette.colour(colour);
  for (const [at, value] of points) {
    if (value === undefined) continue;
    context.beginPath();
    context.arc(x(at), y(value), 2.75, 0, 2 * Math.PI);
    context.fill();
  }
}

/** A limit across the whole chart, with its words. */
export function drawLimit(painter: Painter, value: number, text: string, align: "start" | "end" = "start"): void {
  const { left, right, y } = painter;
  const at = Math.round(y(value)) + 0.5;
  painter.context.save();
  painter.context.strokeStyle = painter.palette.colour("danger");
  painter.context.setLineDash([6, 3]);
  painter.context.beginPath();
  painter.context.moveTo(left, at);
  painter.context.lineTo(right, at);
  painter.context.stroke();
  painter.context.restore();
  words(painter, text, align === "start" ? left + 6 : right - 4, at - 4, { align, colour: "danger" });
}

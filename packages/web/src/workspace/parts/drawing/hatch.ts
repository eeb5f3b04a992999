import { withAlpha } from "../plot/paint.ts";
import type { Pen } from "./drawing.tsx";

const STEP_PX = 7;

/** Hatching means "not known", everywhere. */
export function hatch(
  { context, palette }: Pick<Pen, "context" | "palette">,
  box: { x: number; y: number; width: number; height: number },
): void {
  const { x, y, width, height } = box;
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.fillStyle = palette.colour("surface");
  context.fillRect(x, y, width, height);
  context.strokeStyle = withAlpha(palette.colour("line-strong"), 0.55);
  context.lineWidth = 1;
  context.beginPath();
  for (let at = -height; at < width; at += STEP_PX) {
    context.moveTo(x + at, y + height);
    context.lineTo(x + at + height, y);
  }
  context.stroke();
  context.restore();
}

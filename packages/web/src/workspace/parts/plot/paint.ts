import type uPlot from "uplot";
import type { Palette } from "./palette.ts";
import type { Range } from "./range.ts";

/** Draws in CSS pixels. */
export type Painter = {
  context: CanvasRenderingContext2D;
  palette: Palette;
  x(tMs: number): number;
  y(value: number): number;
  left: number;
  top: number;
  right: number;
  bottom: number;
};

/** What people set: two cursors and a selection. */
export type Marks = { cursors: readonly number[]; selection: Range | undefined };

export const withAlpha = (colour: string, alpha: number): string =>
  `color-mix(in srgb, ${colour} ${alpha * 100}%, transparent)`;

export function paint(u: uPlot, palette: Palette, work: (painter: Painter) => void): void {
  const ratio = devicePixelRatio;
  const { ctx: context } = u;
  context.save();
  context.scale(ratio, ratio);
  context.font = palette.font;
  context.lineWidth = 1;
  work({
    ...{ context, palette },
    x: (tMs) => u.valToPos(tMs, "x", true) / ratio,
    y: (value) => u.valToPos(value, "y", true) / ratio,
    left: u.bbox.left / ratio,
    top: u.bbox.top / ratio,
    right: (u.bbox.left + u.bbox.width) / ratio,
    bottom: (u.bbox.top + u.bbox.height) / ratio,
  });
  context.restore();
}

type WordsOptions = { align?: CanvasTextAlign; colour?: string };

/** Text with a halo, so that lines under it do not disturb it. */
export function words(
  { context, palette }: Pick<Painter, "context" | "palette">,
  text: string,
  x: number,
  y: number,
  { align = "start", colour = "muted" }: WordsOptions = {},
): void {
  context.textAlign = align;
  context.textBaseline = "alphabetic";
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = palette.colour("surface");
  context.strokeText(text, x, y);
  context.fillStyle = palette.colour(colour);
  context.fillText(text, x, y);
  context.lineWidth = 1;
}

import { type Amount, amountOf, readRgb } from "../../parts/drawing/amount.ts";
import type { Pen } from "../../parts/drawing/drawing.tsx";

type Relief = {
  columns: number;
  rows: number /** From 0, far, to 1, near; NaN: not known. */;
  heights: readonly number[];
};

/** Zones as columns on a floor that is looked at from a corner: what is near is high. */
export function drawRelief({ context, palette, width, height }: Pen, { columns, rows, heights }: Relief): void {
  const stepX = Math.min(width / (columns + rows + 1.5), ((height * 0.6) / (columns + rows)) * 2);
  const stepY = stepX / 2;
  const high = height - stepY * (columns + rows) - 16;
  const [left, top] = [width / 2 + ((rows - columns) * stepX) / 2, height - stepY * (columns + rows) - 6];
  const at = (x: number, y: number, z: number) => [left + (x - y) * stepX, top + (x + y) * stepY - z] as const;
  const [none, all, ink] = ["sunken", "series-2", "surface"].map((name) => readRgb(palette.colour(name)));
  context.lineWidth = 0.6;
  const face = (points: readonly (readonly [number, number])[], ground: string, edge: string) => {
    context.beginPath();
    for (const [x, y] of points) context.lineTo(x, y);
    context.closePath();
    context.fillStyle = ground;
    context.fill();
    context.strokeStyle = edge;
    context.stroke();
  };
  for (let y = 0; y < rows; y += 1)
    for (let x = 0; x < columns; x += 1) {
      const share = heights[y * columns + x] ?? Number.NaN;
      const isKnown = !Number.isNaN(share);
      const z = isKnown ? 2 + share * high : 0;
      const amount = (by: number): Amount["ground"] => amountOf(share * by, none ?? [0, 0, 0], all ?? [0, 0, 0]).ground;
      const edge = isKnown ? `rgb(${ink?.join(" ")})` : palette.colour("line-strong");
      const roof = [at(x, y, z), at(x + 1, y, z), at(x + 1, y + 1, z), at(x, y + 1, z)] as const;
      if (isKnown) {
        face([at(x, y + 1, 0), at(x + 1, y + 1, 0), roof[2], roof[3]], amount(0.8), edge);
        face([at(x + 1, y, 0), at(x + 1, y + 1, 0), roof[2], roof[1]], amount(0.6), edge);
      }
      face(roof, isKnown ? amount(1) : palette.colour("surface"), edge);
    }
  context.lineWidth = 1;
}

import type { Columns } from "./envelope.ts";
import type { Painter } from "./paint.ts";

/** Which times it has, and the lowest and highest value at each. */
export type Band = Pick<Columns, "low" | "high"> & { times: readonly number[]; colour: string };

/**
 * The band between the lowest and the highest values, as one shape. uPlot makes its own by clipping one shape with another,
 * which costs a browser many times as much.
 */
export function drawBand({ context, left, right, top, bottom, x, y }: Painter, band: Band): void {
  context.save();
  context.beginPath();
  context.rect(left, top, right - left, bottom - top);
  context.clip();
  context.beginPath();
  for (const run of runsOf(band)) {
    const [first = 0] = run;
    // A line to the first point would begin where the run before it was closed.
    context.moveTo(x(band.times[first] ?? 0), y(band.high[first] ?? 0));
    for (const place of run) context.lineTo(x(band.times[place] ?? 0), y(band.high[place] ?? 0));
    for (const place of run.reverse()) context.lineTo(x(band.times[place] ?? 0), y(band.low[place] ?? 0));
    context.closePath();
  }
  context.fillStyle = band.colour;
  context.fill();
  context.restore();
}

/** Columns without a value are left out, and null ends a run, as with lines. */
function runsOf({ low, high }: Pick<Band, "low" | "high">): number[][] {
  const runs: number[][] = [];
  let run: number[] = [];
  for (const [place, value] of low.entries()) {
    if (typeof value === "number" && typeof high[place] === "number") run.push(place);
    if (value !== null || run.length === 0) continue;
    runs.push(run);
    run = [];
  }
  if (run.length > 0) runs.push(run);
  return runs;
}

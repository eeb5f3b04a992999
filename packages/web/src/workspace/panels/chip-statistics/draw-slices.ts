import type { Pen } from "../../parts/drawing/drawing.tsx";
import { withAlpha, words } from "../../parts/plot/paint.ts";
import { tickStep } from "../../parts/plot/range.ts";
import type { Slice } from "./chip.ts";

const LEFT_PX = 34;
const RIGHT_PX = 16;
const BOTTOM_PX = 18;

/** One row per core. */
export function drawSlices(pen: Pen, slices: readonly Slice[], slotOf: (task: string) => number): void {
  const { context, palette, width, height } = pen;
  const cores = 1 + Math.max(...slices.map(({ core }) => core));
  const end = Math.max(1, ...slices.map(({ fromMs, forMs }) => fromMs + forMs));
  const step = tickStep(end, 6);
  const last = Math.ceil(end / step) * step;
  const x = (ms: number) => LEFT_PX + (ms / last) * (width - LEFT_PX - RIGHT_PX);
  const row = (height - BOTTOM_PX) / cores;
  for (let core = 0; core < cores; core += 1) {
    const middle = (core + 0.5) * row;
    context.strokeStyle = palette.colour("line");
    context.beginPath();
    context.moveTo(LEFT_PX, middle);
    context.lineTo(width - RIGHT_PX, middle);
    context.stroke();
    words(pen, String(core), 14, middle + 4);
  }
  for (const { core, task, fromMs, forMs } of slices) {
    const [from, wide] = [x(fromMs), Math.max(1.5, x(forMs) - x(0))];
    const top = core * row + row * 0.12;
    context.fillStyle = withAlpha(palette.series(slotOf(task)), 0.25);
    context.fillRect(from, top, wide, row * 0.76);
    context.fillStyle = palette.series(slotOf(task));
    context.fillRect(from, top, 2.5, row * 0.76);
    if (wide < task.length * 7 + 8) continue;
    context.fillStyle = palette.colour("text");
    context.textAlign = "start";
    context.textBaseline = "middle";
    context.fillText(task, from + 6, core * row + row / 2);
  }
  for (let ms = 0; ms <= last; ms += step)
    words(pen, ms === last ? `${ms} ms` : String(ms), x(ms), height - 4, { align: ms === last ? "end" : "center" });
}

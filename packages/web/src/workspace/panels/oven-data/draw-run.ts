import { type Painter, withAlpha, words } from "../../parts/plot/paint.ts";
import { dashOf } from "../../parts/plot/palette.ts";
import { numberWords } from "../../parts/plot/words.ts";
import { LIQUIDUS_C, type Measured, type Point } from "./reflow.ts";
import type { Run } from "./runs.ts";

export type Picture = {
  profile: readonly Point[];
  run: Run | undefined;
  isRunning: boolean;
  earlier: readonly Run[];
  ahead: readonly Measured[] | undefined;
};

export const minuteWords = (s: number): string =>
  `${Math.floor(s / 60)}:${String(Math.floor(s % 60)).padStart(2, "0")}`;

/** Profile, run and earlier runs over the seconds of a run. What is predicted is dotted. */
export function drawRun(painter: Painter, { profile, run, isRunning, earlier, ahead }: Picture): void {
  const { context, palette, x, y, left, right } = painter;
  drawStages(painter, profile);
  context.strokeStyle = palette.colour("text");
  context.setLineDash([1.5, 3]);
  context.beginPath();
  context.moveTo(left, y(LIQUIDUS_C));
  context.lineTo(right, y(LIQUIDUS_C));
  context.stroke();
  context.setLineDash([]);
  const line = (points: readonly Measured[], slot: number, { dash = dashOf(slot), width = 1.5, alpha = 1 } = {}) => {
    context.strokeStyle = withAlpha(palette.series(slot), alpha);
    context.lineWidth = width;
    context.setLineDash(dash);
    context.beginPath();
    for (const { s, c } of points) context.lineTo(x(s), y(c));
    context.stroke();
    context.setLineDash([]);
    context.lineWidth = 1;
  };
  for (const each of earlier) line(each.board, 8, { width: 1, dash: [] });
  line(
    profile.map(({ t_s, c }) => ({ s: t_s, c })),
    3,
  );
  if (run) {
    fillAbove(painter, run.board);
    line(run.air, 1, { dash: [4, 3], width: 1 });
    line(run.board, 2, { width: 2 });
  }
  if (ahead) drawAhead(painter, ahead, line);
  const last = run?.board.at(-1);
  if (last && isRunning) drawNow(painter, last);
  words(painter, `liquidus ${LIQUIDUS_C} °C`, left + 6, y(LIQUIDUS_C) - 4, { colour: "text" });
}

function drawStages(painter: Painter, profile: readonly Point[]): void {
  const { context, palette, x, left, right, top, bottom } = painter;
  const edges = [0, profile[1]?.t_s ?? 0, profile[2]?.t_s ?? 0, profile.at(-3)?.t_s ?? 0, profile.at(-1)?.t_s ?? 0];
  for (const [i, name] of ["Preheat", "Soak", "Reflow", "Cool"].entries()) {
    const [from, to] = [Math.max(left, x(edges[i] ?? 0)), Math.min(right, x(edges[i + 1] ?? 0))];
    context.fillStyle = withAlpha(palette.colour("text"), 0.04);
    if (i % 2 === 0) context.fillRect(from, top, to - from, bottom - top);
    if (to - from > 46) words(painter, name, (from + to) / 2, bottom - 6, { align: "center" });
  }
}

/** The time above liquidus as a ground. */
function fillAbove({ context, palette, x, y }: Painter, board: readonly Measured[]): void {
  context.fillStyle = withAlpha(palette.series(2), 0.22);
  context.beginPath();
  const above = board.filter(({ c }) => c >= LIQUIDUS_C);
  const [first, last] = [above[0], above.at(-1)];
  if (!first || !last) return;
  context.moveTo(x(first.s), y(LIQUIDUS_C));
  for (const { s, c } of above) context.lineTo(x(s), y(c));
  context.lineTo(x(last.s), y(LIQUIDUS_C));
  context.fill();
}

const MIN_WORDS_PX = 420;

type Line = (points: readonly Measured[], slot: number, look: { dash: number[] }) => void;

function drawAhead(painter: Painter, ahead: readonly Measured[], line: Line): void {
  const { x, y, left, right } = painter;
  line(ahead, 2, { dash: [1.5, 3] });
  const peak = ahead.reduce((best, point) => (point.c > best.c ? point : best));
  // In a narrow panel only its tile says it.
  if (peak === ahead[0] || right - left < MIN_WORDS_PX) return;
  const text = `predicted peak ${numberWords(peak.c)} °C at ${minuteWords(peak.s)}`;
  words(painter, text, Math.min(right - 4, x(peak.s) + 8), y(peak.c) - 10, {
    align: x(peak.s) > right - 200 ? "end" : "start",
    colour: "text",
  });
}

function drawNow(painter: Painter, { s, c }: Measured): void {
  const { context, palette, x, y, top, bottom } = painter;
  context.strokeStyle = palette.colour("accent");
  context.beginPath();
  context.moveTo(x(s), top);
  context.lineTo(x(s), bottom);
  context.stroke();
  context.fillStyle = palette.series(2);
  context.beginPath();
  context.arc(x(s), y(c), 4, 0, 2 * Math.PI);
  context.fill();
  words(painter, `now ${minuteWords(s)}`, x(s) + 5, top + 12, { colour: "accent" });
}

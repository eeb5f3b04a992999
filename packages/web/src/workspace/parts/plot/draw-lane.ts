import { hatch } from "../drawing/hatch.ts";
import type { Gap } from "./envelope.ts";
import { type Marks, type Painter, withAlpha, words } from "./paint.ts";
import type { PlotLane } from "./series.ts";
import { durationWords } from "./words.ts";

export function drawGround(painter: Painter, lane: PlotLane, gaps: readonly Gap[]): void {
  const { context, palette, left, right, top, bottom, y } = painter;
  const alarm = lane.hasAlarm ? lane.limits?.[0] : undefined;
  if (alarm && y(alarm.value) > top) {
    context.globalCompositeOperation = "destination-over";
    context.fillStyle = palette.colour("danger-soft");
    context.fillRect(left, top, right - left, Math.min(bottom, y(alarm.value)) - top);
    context.globalCompositeOperation = "source-over";
  }
  lane.under?.(painter);
  for (const gap of gaps) drawGap(painter, gap);
}

function drawGap({ context, palette, x, left, right, top, bottom }: Painter, [fromMs, toMs]: Gap): void {
  const from = Math.max(left, x(fromMs));
  const to = Math.min(right, x(toMs));
  if (to - from < 2) return;
  hatch({ context, palette }, { x: from, y: top, width: to - from, height: bottom - top });
  if (to - from < 56) return;
  words({ context, palette }, "no data", (from + to) / 2, bottom - 20, { align: "center" });
  words({ context, palette }, durationWords(toMs - fromMs), (from + to) / 2, bottom - 7, { align: "center" });
}

export function drawAbove(
  painter: Painter,
  lane: PlotLane,
  { marks, hasNames }: { marks: Marks; hasNames: boolean },
): void {
  const { context, palette, left, right, top, bottom, x, y } = painter;
  if (marks.selection) {
    const [from, to] = marks.selection.map((each) => Math.max(left, Math.min(right, x(each)))) as [number, number];
    context.fillStyle = withAlpha(palette.colour("accent"), 0.12);
    context.fillRect(from, top, to - from, bottom - top);
    for (const edge of [from, to]) line(painter, edge, "accent");
  }
  for (const { value, words: wordsOf } of lane.limits ?? []) {
    if (y(value) < top || y(value) > bottom) continue;
    context.strokeStyle = palette.colour("danger");
    context.setLineDash([1, 3]);
    context.beginPath();
    context.moveTo(left, Math.round(y(value)) + 0.5);
    context.lineTo(right, Math.round(y(value)) + 0.5);
    context.stroke();
    context.setLineDash([]);
    words(painter, wordsOf(value), left + 6, y(value) + (y(value) - top < 34 ? 14 : -4), { colour: "danger" });
  }
  lane.over?.(painter);
  if (lane.series.some(({ track, isShown }) => isShown && track.isThinned)) drawThinned(painter);
  words(painter, lane.unit, left + 6, top + 14);
  for (const [place, each] of marks.cursors.entries()) line(painter, x(each), place === 0 ? "text" : "accent");
  if (hasNames) drawNames(painter, lane);
}

function line({ context, palette, left, right, top, bottom }: Painter, at: number, colour: string): void {
  if (at < left || at > right) return;
  context.strokeStyle = palette.colour(colour);
  context.beginPath();
  context.moveTo(Math.round(at) + 0.5, top);
  context.lineTo(Math.round(at) + 0.5, bottom);
  context.stroke();
}

/** A broken bar along the top: not every sample has come. */
function drawThinned({ context, palette, left, right, top }: Painter): void {
  context.strokeStyle = palette.colour("warn");
  context.lineWidth = 3;
  context.setLineDash([3, 2]);
  context.beginPath();
  context.moveTo(left + 1, top + 1.5);
  context.lineTo(right, top + 1.5);
  context.stroke();
  context.setLineDash([]);
  context.lineWidth = 1;
}

const NAME_PX = 13;

function drawNames(painter: Painter, { series }: PlotLane): void {
  const { context, palette, right, bottom, y } = painter;
  const ends = series
    .filter(({ isShown, track }) => isShown && track.next > track.first)
    .map(({ label, track, read }) => ({ label, at: y(read(track, track.next - 1)) }))
    .filter(({ at }) => Number.isFinite(at))
    .sort((a, b) => a.at - b.at);
  // Down as far as needed, then up from the bottom: names are apart, and inside.
  for (const [i, end] of ends.entries()) end.at = Math.max(end.at, (ends[i - 1]?.at ?? 0) + NAME_PX);
  for (let i = ends.length - 1; i >= 0; i -= 1) {
    const end = ends[i] as { at: number };
    end.at = Math.min(end.at, (ends[i + 1]?.at ?? bottom + NAME_PX) - NAME_PX);
  }
  context.textAlign = "start";
  context.fillStyle = palette.colour("muted");
  for (const { label, at } of ends)
    context.fillText(label.length > 11 ? `${label.slice(0, 10)}…` : label, right + 8, at + 4);
}

import { amountsOf } from "../../parts/drawing/amount.ts";
import { type Painter, withAlpha, words } from "../../parts/plot/paint.ts";
import { type Anchor, errorAt, type Fix } from "./locate.ts";
import type { Surveyed } from "./survey.ts";

export type Room = {
  anchors: readonly Anchor[];
  fix: Fix | undefined;
  trail: readonly Fix[];
  name: string;
  surveyed: readonly Surveyed[];
  /** Draws how far off a position would be, everywhere. */
  hasErrors: boolean;
  height: number;
};

const CELLS = 26;
const ERROR_M = 0.02;
/** An error of this and more is drawn as strongly as there is. */
const WORST_M = 0.2;
const MAX_TRAIL = 400;

/** The room from above. */
export function drawRoom(painter: Painter, room: Room): void {
  const { context, palette, x, y } = painter;
  const { anchors, fix, trail } = room;
  if (room.hasErrors) drawErrors(painter, room);
  if (fix) drawRanges(painter, anchors, fix);
  const step = Math.max(1, Math.ceil(trail.length / MAX_TRAIL));
  context.lineWidth = 1.5;
  for (let i = step; i < trail.length; i += step) {
    const [from, to] = [trail[i - step], trail[i]];
    if (!from || !to) continue;
    context.strokeStyle = withAlpha(palette.colour("series-2"), 0.15 + (0.85 * i) / trail.length);
    context.beginPath();
    context.moveTo(x(from.x), y(from.y));
    context.lineTo(x(to.x), y(to.y));
    context.stroke();
  }
  context.lineWidth = 1;
  for (const anchor of anchors) drawAnchor(painter, anchor, fix);
  for (const each of room.surveyed) drawSurveyed(painter, each, anchors);
  if (fix) drawTag(painter, fix, room.name);
}

function drawErrors(
  { context, palette, left, right, top, bottom, x, y }: Painter,
  { anchors, fix, height }: Room,
): void {
  const amount = amountsOf(palette);
  const used = anchors.filter(({ id }) => fix?.anchors.find(({ anchor }) => anchor === id)?.isUsed ?? true);
  const perM = Math.abs(x(1) - x(0));
  const cell = (right - left) / CELLS;
  for (let px = left; px < right; px += cell)
    for (let py = top; py < bottom; py += cell) {
      const mx = (px + cell / 2 - x(0)) / perM;
      const my = (y(0) - py - cell / 2) / perM;
      const error = errorAt(used, mx, my, height, ERROR_M);
      context.fillStyle = withAlpha(amount(Number.isNaN(error) ? 1 : error / WORST_M).ground, 0.75);
      context.fillRect(px, py, Math.min(cell + 0.5, right - px), Math.min(cell + 0.5, bottom - py));
    }
}

const resultOf = (fix: Fix | undefined, id: string) => fix?.anchors.find(({ anchor }) => anchor === id);

function drawRanges({ context, palette, x, y }: Painter, anchors: readonly Anchor[], fix: Fix): void {
  for (const anchor of anchors) {
    const result = resultOf(fix, anchor.id);
    if (!result) continue;
    context.strokeStyle = palette.colour(result.isUsed ? "line-strong" : "warn");
    context.setLineDash(result.isUsed ? [] : [4, 3]);
    context.beginPath();
    context.moveTo(x(anchor.x), y(anchor.y));
    context.lineTo(x(fix.x), y(fix.y));
    context.stroke();
  }
  context.setLineDash([]);
}

function drawAnchor(painter: Painter, anchor: Anchor, fix: Fix | undefined): void {
  const { context, palette, x, y, left, right, top } = painter;
  const [px, py] = [x(anchor.x), y(anchor.y)];
  const isBlocked = resultOf(fix, anchor.id)?.isUsed === false;
  context.save();
  context.translate(px, py);
  if (isBlocked) {
    context.rotate(Math.PI / 4);
    context.fillStyle = palette.colour("surface");
    context.strokeStyle = palette.colour("warn");
    context.lineWidth = 2;
    context.fillRect(-5, -5, 10, 10);
    context.strokeRect(-5, -5, 10, 10);
  } else {
    context.fillStyle = palette.colour("text");
    context.fillRect(-6, -6, 12, 12);
  }
  context.restore();
  const isRight = px > (left + right) / 2;
  const below = py < top + 24 ? 16 : -9;
  words(painter, anchor.id, px + (isRight ? -8 : 8), py + below, { align: isRight ? "end" : "start", colour: "text" });
}

/** Where the ranges between anchors put it: a hollow square, joined to where it is written down. */
function drawSurveyed({ context, palette, x, y }: Painter, each: Surveyed, anchors: readonly Anchor[]): void {
  const written = anchors.find(({ id }) => id === each.id);
  if (!written) return;
  context.strokeStyle = palette.colour("accent");
  context.strokeRect(x(each.x) - 8, y(each.y) - 8, 16, 16);
  context.beginPath();
  context.moveTo(x(written.x), y(written.y));
  context.lineTo(x(each.x), y(each.y));
  context.stroke();
}

function drawTag(painter: Painter, { x: tx, y: ty, ellipse }: Fix, name: string): void {
  const { context, palette, x, y } = painter;
  const perM = Math.abs(x(1) - x(0));
  context.strokeStyle = palette.colour("accent");
  context.fillStyle = withAlpha(palette.colour("accent"), 0.12);
  context.beginPath();
  const axes = [ellipse.long, ellipse.short].map((each) => Math.min(2_000, Math.max(5, each * perM))) as [
    number,
    number,
  ];
  context.ellipse(x(tx), y(ty), ...axes, -ellipse.angleRad, 0, 2 * Math.PI);
  context.fill();
  context.stroke();
  context.fillStyle = palette.colour("accent");
  context.beginPath();
  context.arc(x(tx), y(ty), 4.5, 0, 2 * Math.PI);
  context.fill();
  words(painter, name, x(tx) + 10, y(ty) - 10, { colour: "text" });
}

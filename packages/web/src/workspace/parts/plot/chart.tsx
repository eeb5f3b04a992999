import { useCallback } from "react";
import type { Size } from "../../browser-hooks.ts";
import { Drawing, type Pen } from "../drawing/drawing.tsx";
import { type Painter, words } from "./paint.ts";
import { type Range, tickStep, ticksOf } from "./range.ts";
import { numberWords } from "./words.ts";

export type Axis = {
  range: Range;
  unit: string;
  /** Between ticks, and how they are written, when they are not numbers. */
  step?: number;
  words?: (value: number) => string;
};

type Props = {
  /** What it shows, in words: a screen reader reads nothing else of it. */
  label: string;
  x: Axis;
  y: Axis;
  /** Both axes have the same scale: the shorter one shows more. */
  isSquare?: boolean;
  draw: (painter: Painter) => void;
};

const LEFT_PX = 44;
const BOTTOM_PX = 22;
const EDGE_PX = { top: 8, right: 14 };
const X_TICK_PX = 76;
const Y_TICK_PX = 52;

/** Where a chart of this size draws what. */
export function chartScale({ width, height }: Size, [x0, x1]: Range, [y0, y1]: Range) {
  const place = { left: LEFT_PX, top: EDGE_PX.top, right: width - EDGE_PX.right, bottom: height - BOTTOM_PX };
  const { left, right, top, bottom } = place;
  return {
    place,
    x: (value: number) => left + ((value - x0) / (x1 - x0)) * (right - left),
    y: (value: number) => bottom - ((value - y0) / (y1 - y0)) * (bottom - top),
    valueX: (px: number) => x0 + ((px - left) / (right - left)) * (x1 - x0),
    valueY: (px: number) => y0 + ((bottom - px) / (bottom - top)) * (y1 - y0),
  };
}

/** Values against values, on a canvas. */
export function Chart({ label, x, y, isSquare = false, draw }: Props) {
  const drawAll = useCallback(
    ({ context, palette, width, height }: Pen) => {
      const { place } = chartScale({ width, height }, x.range, y.range);
      const [across, up] = isSquare ? squared(x.range, y.range, place) : [x.range, y.range];
      const scale = chartScale({ width, height }, across, up);
      const painter: Painter = { ...{ context, palette, ...place }, x: scale.x, y: scale.y };
      drawAxes(painter, { ...x, range: across }, { ...y, range: up });
      context.save();
      context.beginPath();
      context.rect(place.left, place.top - 4, place.right - place.left + 4, place.bottom - place.top + 4);
      context.clip();
      draw(painter);
      context.restore();
      words(painter, y.unit, place.left + 6, place.top + 14);
    },
    [x, y, isSquare, draw],
  );
  return <Drawing className="plot" label={label} draw={drawAll} />;
}

function drawAxes({ context, palette, left, right, top, bottom, x, y }: Painter, across: Axis, up: Axis): void {
  const stepOf = ([low, high]: Range, px: number, each: number) => tickStep(high - low, px / each);
  const xStep = across.step ?? stepOf(across.range, right - left, X_TICK_PX);
  const yStep = stepOf(up.range, bottom - top, Y_TICK_PX);
  const digits = (step: number) => Math.max(0, Math.min(6, Math.ceil(-Math.log10(step) - 1e-9)));
  const xs = ticksOf(across.range, xStep);
  const ys = ticksOf(up.range, yStep);
  const crisp = (at: number) => Math.round(at) + 0.5;
  context.strokeStyle = palette.colour("line");
  context.beginPath();
  for (const value of xs) {
    context.moveTo(crisp(x(value)), top);
    context.lineTo(crisp(x(value)), bottom);
  }
  for (const value of ys) {
    context.moveTo(left, crisp(y(value)));
    context.lineTo(right, crisp(y(value)));
  }
  context.stroke();
  context.strokeStyle = palette.colour("line-strong");
  context.beginPath();
  context.moveTo(left + 0.5, top);
  context.lineTo(left + 0.5, crisp(bottom));
  context.lineTo(right, crisp(bottom));
  context.stroke();
  context.fillStyle = palette.colour("muted");
  context.textBaseline = "alphabetic";
  for (const [place, value] of xs.entries()) {
    const isLast = place === xs.length - 1;
    context.textAlign = x(value) > right - 24 ? "end" : "center";
    const text = across.words?.(value) ?? numberWords(value, digits(xStep));
    context.fillText(
      isLast && across.unit !== "" ? `${text} ${across.unit}` : text,
      Math.min(x(value), right),
      bottom + 15,
    );
  }
  context.textAlign = "end";
  for (const value of ys) context.fillText(numberWords(value, digits(yStep)), left - 5, y(value) + 4);
}

/** The same length for the same difference on both axes. */
function squared(
  [x0, x1]: Range,
  [y0, y1]: Range,
  place: { left: number; right: number; top: number; bottom: number },
): [Range, Range] {
  const [wide, high] = [place.right - place.left, place.bottom - place.top];
  const perPx = Math.max((x1 - x0) / wide, (y1 - y0) / high);
  const around = (low: number, top: number, px: number): Range => {
    const middle = (low + top) / 2;
    return [middle - (perPx * px) / 2, middle + (perPx * px) / 2];
  };
  return [around(x0, x1, wide), around(y0, y1, high)];
}

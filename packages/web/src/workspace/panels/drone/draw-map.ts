import type { Pen } from "../../parts/drawing/drawing.tsx";
import { line } from "../../parts/drawing/horizon.ts";
import { words } from "../../parts/plot/paint.ts";
import { tickStep } from "../../parts/plot/range.ts";
import type { Place } from "./flight.ts";

export type MapView = {
  /** From home, in the middle, to the nearer edge. */
  shownM: number;
  way: readonly (Place | undefined)[];
  at: Place | undefined;
  yawDeg: number | undefined;
  fenceM: number | undefined;
  target: Place | undefined;
  keepOut: readonly (readonly Place[])[];
};

/** Half as wide as the words of a target: at the edge of the map they stay on it. */
const WORDS_PX = 44;

/** Pixels of a place, and the place of a pixel: north is up. */
export function mapScale({ width, height }: Pick<Pen, "width" | "height">, shownM: number) {
  const perM = Math.min(width, height) / 2 / shownM;
  return {
    perM,
    x: ({ east }: Place) => width / 2 + east * perM,
    y: ({ north }: Place) => height / 2 - north * perM,
    placeAt: (x: number, y: number): Place => ({ north: (height / 2 - y) / perM, east: (x - width / 2) / perM }),
  };
}

/** The ground in metres: home, fence, the way it flew, where it is and where it was told to fly. */
export function drawMap(pen: Pen, { shownM, way, at, yawDeg, fenceM, target, keepOut }: MapView): void {
  const { context, palette, width, height } = pen;
  const { perM, x, y } = mapScale(pen, shownM);
  const step = tickStep(2 * shownM, 6);
  context.fillStyle = palette.colour("sunken");
  context.fillRect(0, 0, width, height);
  context.strokeStyle = palette.colour("line");
  for (let m = -Math.ceil(width / 2 / perM / step) * step; m * perM < width / 2; m += step)
    line(context, x({ north: 0, east: m }), 0, x({ north: 0, east: m }), height);
  for (let m = -Math.ceil(height / 2 / perM / step) * step; m * perM < height / 2; m += step)
    line(context, 0, y({ north: m, east: 0 }), width, y({ north: m, east: 0 }));
  const home = { north: 0, east: 0 };
  if (fenceM !== undefined) {
    context.strokeStyle = palette.colour("warn");
    context.setLineDash([6, 4]);
    context.beginPath();
    context.arc(x(home), y(home), fenceM * perM, 0, 2 * Math.PI);
    context.stroke();
    context.setLineDash([]);
    words(pen, `fence ${fenceM} m`, x(home) + 0.7 * fenceM * perM, y(home) + 0.7 * fenceM * perM - 4, { align: "end" });
  }
  for (const corners of keepOut) drawKeepOut(pen, corners, { x, y });
  drawWay(pen, way, { x, y });
  context.strokeStyle = palette.colour("text");
  context.fillStyle = palette.colour("surface");
  context.fillRect(x(home) - 6, y(home) - 6, 12, 12);
  context.strokeRect(x(home) - 6, y(home) - 6, 12, 12);
  context.fillStyle = palette.colour("text");
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText("H", x(home), y(home) + 1);
  if (target) {
    drawTarget(pen, { x: x(target), y: y(target) }, at && { x: x(at), y: y(at) });
    const awayM = at && Math.hypot(target.north - at.north, target.east - at.east);
    const far = awayM === undefined ? "target" : `target, ${Math.round(awayM)} m`;
    const middle = Math.max(WORDS_PX, Math.min(width - WORDS_PX, x(target)));
    words(pen, far, middle, y(target) + 18, { align: "center", colour: "text" });
  }
  if (at) drawDrone(pen, x(at), y(at), yawDeg);
  context.strokeStyle = palette.colour("text");
  line(context, 10, height - 10, 10 + step * perM, height - 10);
  words(pen, `${step} m`, 16 + step * perM, height - 7, { colour: "text" });
  words(pen, "N ↑", width - 10, 16, { align: "end", colour: "text" });
}

type Scale = { x: (place: Place) => number; y: (place: Place) => number };

/** Striped in red: over it, it does not fly. */
function drawKeepOut({ context, palette }: Pen, corners: readonly Place[], { x, y }: Scale): void {
  const [xs, ys] = [corners.map(x), corners.map(y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  context.save();
  context.strokeStyle = palette.colour("danger");
  context.beginPath();
  for (const corner of corners) context.lineTo(x(corner), y(corner));
  context.closePath();
  context.stroke();
  context.clip();
  context.globalAlpha = 0.45;
  for (let at = left - (bottom - top); at < right; at += 6) line(context, at, bottom, at + bottom - top, top);
  context.restore();
  words({ context, palette }, "keep out", (left + right) / 2, (top + bottom) / 2 + 4, {
    align: "center",
    colour: "danger",
  });
}

function drawWay({ context, palette }: Pen, way: MapView["way"], { x, y }: Scale): void {
  context.strokeStyle = palette.series(2);
  context.lineWidth = 1.5;
  context.beginPath();
  let isDown = false;
  for (const place of way) {
    if (place && isDown) context.lineTo(x(place), y(place));
    else if (place) context.moveTo(x(place), y(place));
    isDown = place !== undefined;
  }
  context.stroke();
  context.lineWidth = 1;
}

type Point = { x: number; y: number };

function drawTarget({ context, palette }: Pen, to: Point, from: Point | undefined): void {
  context.strokeStyle = palette.colour("accent");
  if (from) {
    context.setLineDash([4, 3]);
    line(context, from.x, from.y, to.x, to.y);
    context.setLineDash([]);
  }
  context.lineWidth = 2;
  context.beginPath();
  context.arc(to.x, to.y, 5, 0, 2 * Math.PI);
  context.stroke();
  context.lineWidth = 1;
}

function drawDrone({ context, palette }: Pen, x: number, y: number, yawDeg = 0): void {
  context.save();
  context.translate(x, y);
  context.rotate((yawDeg * Math.PI) / 180);
  context.beginPath();
  context.moveTo(0, -11);
  context.lineTo(7, 8);
  context.lineTo(0, 4);
  context.lineTo(-7, 8);
  context.closePath();
  context.fillStyle = palette.series(2);
  context.strokeStyle = palette.colour("surface");
  context.lineWidth = 1.5;
  context.fill();
  context.stroke();
  context.restore();
}

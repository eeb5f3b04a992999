import type { Point } from "../schematic/geometry.ts";
import { distance, turn } from "./lines.ts";
import type { Board, Part, Side, Stroke } from "./model.ts";
import { isInside } from "./outline.ts";

/** What was found at a place. `net` and `part` are places in the lists of the board; -1: none. */
export interface Found {
  readonly kind: "pad" | "via" | "track" | "zone" | "part";
  readonly net: number;
  readonly part: number;
}

export interface Where {
  readonly at: Point;
  /** Things this close count as well. */
  readonly withinMm: number;
  /** What is seen of the board. */
  readonly side: Side;
  isShown(layer: string): boolean;
}

function distanceToLine(at: Point, a: Point, b: Point): number {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.max(0, Math.min(1, ((at.x - a.x) * dx + (at.y - a.y) * dy) / length));
  return distance(at, { x: a.x + along * dx, y: a.y + along * dy });
}

function distanceToPath(at: Point, points: readonly Point[]): number {
  let nearest = Number.POSITIVE_INFINITY;
  for (const [place, point] of points.entries()) {
    const before = points[place - 1];
    if (before) nearest = Math.min(nearest, distanceToLine(at, before, point));
  }
  return nearest;
}

const isOnStroke = (at: Point, { points, widthMm, isFilled }: Stroke, withinMm: number): boolean =>
  (isFilled && isInside(at, points)) || distanceToPath(at, points) <= widthMm / 2 + withinMm;

function isInYard(at: Point, { yard }: Part): boolean {
  if (!yard) return false;
  const own = turn({ x: at.x - yard.at.x, y: at.y - yard.at.y }, -yard.angle);
  return Math.abs(own.x) <= yard.widthMm / 2 && Math.abs(own.y) <= yard.heightMm / 2;
}

/** The topmost thing at a place: a pad, a via, a track, a part, then the copper of a zone. */
export function findAt(board: Board, where: Where): Found | undefined {
  const { at, withinMm, side, isShown } = where;
  const copper = [
    side === "front" ? "F.Cu" : "B.Cu",
    ...board.layers.filter(({ kind, side: of }) => kind === "copper" && of === undefined).map(({ name }) => name),
  ].filter(isShown);
  const isOn = (layers: { has(layer: string): boolean }) => copper.some((layer) => layers.has(layer));
  const pad = board.pads.find(
    ({ layers, strokes }) => isOn(layers) && strokes.some((stroke) => isOnStroke(at, stroke, withinMm / 4)),
  );
  if (pad) return { kind: "pad", net: pad.net, part: pad.part };
  const via = board.vias.find(
    (each) => isOn(new Set(each.layers)) && distance(at, each.at) <= each.sizeMm / 2 + withinMm / 4,
  );
  if (via) return { kind: "via", net: via.net, part: -1 };
  const track = board.tracks.findLast(
    ({ layer, points, widthMm }) => copper.includes(layer) && distanceToPath(at, points) <= widthMm / 2 + withinMm,
  );
  if (track) return { kind: "track", net: track.net, part: -1 };
  const part = partAt(board, at, side);
  if (part !== -1) return { kind: "part", net: -1, part };
  const zone = board.zones.findLast(
    ({ layer, areas }) => copper.includes(layer) && areas.some((area) => isInside(at, area)),
  );
  return zone && { kind: "zone", net: zone.net, part: -1 };
}

/** The smallest part at a place, or -1. */
function partAt({ parts }: Board, at: Point, side: Side): number {
  const sizeOf = ({ yard }: Part) => (yard ? yard.widthMm * yard.heightMm : Number.POSITIVE_INFINITY);
  let best = -1;
  for (const [place, part] of parts.entries()) {
    if (part.side !== side || !isInYard(at, part)) continue;
    const before = parts[best];
    if (!before || sizeOf(part) < sizeOf(before)) best = place;
  }
  return best;
}

/** The nearest place to measure from: the middle of a pad, via or hole, the end of a track, a corner of the board. */
export function snapTo({ pads, vias, tracks, outline }: Board, at: Point, withinMm: number): Point {
  let [nearest, best] = [withinMm, at];
  const look = (point: Point | undefined) => {
    if (!point || distance(point, at) >= nearest) return;
    nearest = distance(point, at);
    best = point;
  };
  for (const pad of pads) look(pad.at);
  for (const via of vias) look(via.at);
  for (const { points } of tracks) for (const point of [points[0], points.at(-1)]) look(point);
  for (const { points, holes } of outline.solids) for (const point of [points, ...holes].flat()) look(point);
  return best;
}

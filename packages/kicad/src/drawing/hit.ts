import type { Point } from "../schematic/geometry.ts";
import { boxOf, contains, grown, meets } from "./boxes.ts";
import type { Drawn } from "./drawn.ts";
import type { Arc, Box, Path } from "./primitives.ts";

const distanceToSegment = ({ x, y }: Point, { x: ax, y: ay }: Point, { x: bx, y: by }: Point): number => {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / length));
  return Math.hypot(x - ax - share * dx, y - ay - share * dy);
};

function distanceToPath(point: Point, { points, isClosed }: Path): number {
  let nearest = Number.POSITIVE_INFINITY;
  for (const [at, to] of points.entries()) {
    const from = points[at - 1] ?? (isClosed ? points.at(-1) : undefined) ?? to;
    nearest = Math.min(nearest, distanceToSegment(point, from, to));
  }
  return nearest;
}

const distanceToArc = ({ x, y }: Point, { center, radius }: Arc): number =>
  Math.abs(Math.hypot(x - center.x, y - center.y) - radius);

const atPoint = ({ x, y }: Point, by: number): Box => grown({ left: x, right: x, top: y, bottom: y }, by);

function isHit(item: Drawn, point: Point, tolerance: number): boolean {
  const near = atPoint(point, tolerance);
  if (!meets(item.box, near)) return false;
  if (item.isSolid && contains(item.body, atPoint(point, 0))) return true;
  return item.primitives.some((primitive) => {
    if (!meets(boxOf(primitive), near)) return false;
    if (primitive.kind === "path") return distanceToPath(point, primitive) <= tolerance + primitive.width / 2;
    if (primitive.kind === "arc")
      return primitive.fill !== "none" || distanceToArc(point, primitive) <= tolerance + primitive.width / 2;
    return true;
  });
}

const areaOf = ({ left, top, right, bottom }: Box): number => (right - left) * (bottom - top);

/** The items at a place. The smallest one comes first: it could not be reached otherwise. */
export const itemsAt = (items: readonly Drawn[], point: Point, tolerance: number): Drawn[] =>
  items
    .filter((item) => item.canSelect && isHit(item, point, tolerance))
    .sort((a, b) => areaOf(a.body) - areaOf(b.body));

/** The items that a frame from one corner to the other takes: whole ones, or from right to left also those that it touches. */
export function itemsWithin(items: readonly Drawn[], from: Point, to: Point): Drawn[] {
  const frame = { left: Math.min(from.x, to.x), right: Math.max(from.x, to.x) };
  const box = { ...frame, top: Math.min(from.y, to.y), bottom: Math.max(from.y, to.y) };
  const takes = to.x < from.x ? meets : (outer: Box, inner: Box) => contains(outer, inner);
  return items.filter((item) => item.canSelect && takes(box, item.body));
}

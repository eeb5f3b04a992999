import type { Point } from "../schematic/geometry.ts";
import type { Box, Primitive } from "./primitives.ts";
import { layText } from "./text.ts";

export const boxOfPoints = (points: readonly Point[]): Box => {
  const box = { left: Number.POSITIVE_INFINITY, top: Number.POSITIVE_INFINITY, right: -Infinity, bottom: -Infinity };
  for (const { x, y } of points) {
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y);
  }
  return box;
};

export const grown = (box: Box, by: number): Box => ({
  ...{ left: box.left - by, top: box.top - by, right: box.right + by, bottom: box.bottom + by },
});

export const joined = (boxes: readonly Box[]): Box =>
  boxes.length === 0
    ? { left: 0, top: 0, right: 0, bottom: 0 }
    : boxOfPoints(
        boxes.flatMap(({ left, top, right, bottom }) => [
          { x: left, y: top },
          { x: right, y: bottom },
        ]),
      );

export const meets = (a: Box, b: Box): boolean =>
  a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom;

export const contains = (outer: Box, inner: Box): boolean =>
  outer.left <= inner.left && inner.right <= outer.right && outer.top <= inner.top && inner.bottom <= outer.bottom;

export function boxOf(primitive: Primitive): Box {
  if (primitive.kind === "path") return grown(boxOfPoints(primitive.points), primitive.width / 2);
  if (primitive.kind === "picture") {
    const { at, width, height } = primitive;
    return { left: at.x - width / 2, right: at.x + width / 2, top: at.y - height / 2, bottom: at.y + height / 2 };
  }
  if (primitive.kind === "arc") {
    const { center, radius, from, to } = primitive;
    const on = (angle: number): Point => ({
      x: center.x + radius * Math.cos(angle),
      y: center.y + radius * Math.sin(angle),
    });
    const points = [on(from), on(to)];
    for (let quarter = Math.ceil(from / (Math.PI / 2)); quarter * (Math.PI / 2) < to; quarter += 1)
      points.push(on(quarter * (Math.PI / 2)));
    return grown(boxOfPoints(points), primitive.width / 2);
  }
  const { box } = layText(primitive);
  const { x, y } = primitive.at;
  // Turned text reads upwards: what was to the right is now above.
  return primitive.isTurned
    ? { left: x + box.top, right: x + box.bottom, top: y - box.right, bottom: y - box.left }
    : { left: x + box.left, right: x + box.right, top: y + box.top, bottom: y + box.bottom };
}

import type { Point } from "../schematic/geometry.ts";
import { child, flag, type List, numbersIn, textAt, textOf } from "../sexpr/index.ts";
import { arcPoints, circlePoints, readStroke, turn } from "./lines.ts";
import type { Hole, Stroke } from "./model.ts";
import type { Values } from "./values.ts";

interface Size {
  readonly width: number;
  readonly height: number;
}

const rectangle = ({ width, height }: Size): Point[] => [
  { x: -width / 2, y: -height / 2 },
  { x: width / 2, y: -height / 2 },
  { x: width / 2, y: height / 2 },
  { x: -width / 2, y: height / 2 },
];

/** Each corner by the way to it: left or right, top or bottom. */
const CORNERS = [
  { name: "top_left", x: -1, y: -1 },
  { name: "top_right", x: 1, y: -1 },
  { name: "bottom_right", x: 1, y: 1 },
  { name: "bottom_left", x: -1, y: 1 },
] as const;

/** A rectangle whose corners are round, cut off or left alone. */
function cornered({ width, height }: Size, radius: number, cut: number, isCut: (corner: string) => boolean): Point[] {
  return CORNERS.flatMap(({ name, x, y }, place) => {
    const away = isCut(name) ? cut : radius;
    const center = { x: x * (width / 2 - away), y: y * (height / 2 - away) };
    if (away <= 0) return [center];
    const from = Math.PI + (place * Math.PI) / 2;
    if (!isCut(name)) return arcPoints(center, radius, from, Math.PI / 2);
    return [from, from + Math.PI / 2].map((angle) => ({
      x: center.x + away * Math.round(Math.cos(angle)),
      y: center.y + away * Math.round(Math.sin(angle)),
    }));
  });
}

/** `(rect_delta dx dy)`: one of two opposite sides is longer by this, the other one shorter. */
function trapezoid(size: Size, [dx = 0, dy = 0]: readonly number[]): Point[] {
  return rectangle(size).map(({ x, y }) => ({
    x: x + (Math.sign(x) * Math.sign(y) * dy) / 2,
    y: y - (Math.sign(x) * Math.sign(y) * dx) / 2,
  }));
}

const ratio = (node: List, name: string, fallback: number): number => {
  const [value = fallback] = numbersIn(child(node, name));
  return Math.max(0, Math.min(0.5, value));
};

function bodyOf(node: List, shape: string, size: Size, values: Values): Point[] {
  const short = Math.min(size.width, size.height);
  switch (shape) {
    case "circle":
      return circlePoints({ x: 0, y: 0 }, size.width / 2);
    case "oval":
      return cornered(size, short / 2, 0, () => false);
    case "roundrect": {
      const chamfer = child(node, "chamfer");
      const radius = short * ratio(node, "roundrect_rratio", 0.25);
      return cornered(
        size,
        radius,
        short * ratio(node, "chamfer_ratio", 0),
        (corner) => chamfer !== undefined && flag(chamfer, corner),
      );
    }
    case "trapezoid":
      return trapezoid(size, values.numbers(node, "rect_delta"));
    case "custom":
      return textOf(child(node, "options"), "anchor") === "circle"
        ? circlePoints({ x: 0, y: 0 }, short / 2)
        : rectangle(size);
    default:
      return rectangle(size);
  }
}

export interface PadShape {
  readonly strokes: readonly Stroke[];
  readonly hole: Hole | undefined;
}

/** The copper and the hole of a pad at its place on the board. `angle` is that of the pad on the board, in degrees. */
export function readPadShape(node: List, at: Point, angle: number, values: Values): PadShape {
  const [width = 0, height = width] = values.numbers(node, "size").map(Math.abs);
  const drill = child(node, "drill");
  const offset = child(drill, "offset");
  const moved = offset === undefined ? { x: 0, y: 0 } : values.point(offset, node);
  const place = (point: Point): Point => {
    const turned = turn({ x: point.x + moved.x, y: point.y + moved.y }, angle);
    return { x: at.x + turned.x, y: at.y + turned.y };
  };
  const body: Stroke = {
    points: bodyOf(node, textAt(node, 3) ?? "", { width, height }, values),
    widthMm: 0,
    isFilled: true,
  };
  const more = (child(node, "primitives")?.items ?? []).flatMap((item) =>
    item.kind === "list" ? (readStroke(item, values) ?? []) : [],
  );
  const strokes = [body, ...more].map((stroke) => ({ ...stroke, points: stroke.points.map(place) }));
  values.count(body.points.length, node);
  const [first, second = first] = drill === undefined ? [] : values.numbers(node, "drill").map(Math.abs);
  const hole =
    first === undefined || second === undefined || first === 0
      ? undefined
      : { at, widthMm: first, heightMm: second, angle };
  return { strokes, hole };
}

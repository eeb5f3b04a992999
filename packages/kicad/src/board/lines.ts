import { arcThrough, curvePoints, lineStyle } from "../drawing/primitives.ts";
import type { Point } from "../schematic/geometry.ts";
import { child, flag, type List, nameOf, textOf } from "../sexpr/index.ts";
import type { Stroke } from "./model.ts";
import type { Values } from "./values.ts";

/** An arc may differ from its points by this. */
const ARC_ERROR_MM = 0.01;
const MAX_ARC_STEPS = 120;
const THIN_MM = 0.05;
const TURN = 2 * Math.PI;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** A point that was turned anticlockwise around the origin, with y downwards. */
export function turn({ x, y }: Point, degrees: number): Point {
  const [c, s] = [Math.cos(radians(degrees)), Math.sin(radians(degrees))];
  return { x: x * c + y * s, y: y * c - x * s };
}

const stepsFor = (radius: number, angle: number): number => {
  const each = 2 * Math.acos(Math.max(0, 1 - ARC_ERROR_MM / Math.max(radius, ARC_ERROR_MM)));
  // A multiple of four: a circle has points at its left, right, top and bottom.
  return 4 * Math.max(1, Math.min(MAX_ARC_STEPS / 4, Math.ceil(Math.abs(angle) / each / 4)));
};

/** Points from one angle to the other; both in radians, clockwise on the screen. */
export function arcPoints(center: Point, radius: number, from: number, angle: number): Point[] {
  const steps = stepsFor(radius, angle);
  return Array.from({ length: steps + 1 }, (_, step) => ({
    x: center.x + radius * Math.cos(from + (angle * step) / steps),
    y: center.y + radius * Math.sin(from + (angle * step) / steps),
  }));
}

/** A circle; its last point is its first. */
export const circlePoints = (center: Point, radius: number): Point[] => arcPoints(center, radius, 0, TURN);

export function arcBetween(start: Point, middle: Point, end: Point): Point[] {
  const arc = arcThrough(start, middle, end, lineStyle("note"));
  if (arc.kind !== "arc") return [start, end];
  const points = arcPoints(arc.center, arc.radius, arc.from, arc.to - arc.from);
  const [first] = points;
  const isForward = first !== undefined && distance(first, start) <= distance(first, end);
  // The ends are those of the file, so that what meets there still does.
  return [start, ...(isForward ? points : points.reverse()).slice(1, -1), end];
}

export const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);

/** The points of `(pts (xy …) (arc …))`. */
export function readPointList(owner: List, values: Values): Point[] {
  const points: Point[] = [];
  for (const node of child(owner, "pts")?.items ?? []) {
    if (node.kind !== "list") continue;
    if (nameOf(node) === "xy") points.push(values.point(node, owner));
    else if (nameOf(node) === "arc") {
      points.push(
        ...arcBetween(values.pointOf(node, "start"), values.pointOf(node, "mid"), values.pointOf(node, "end")),
      );
    }
  }
  values.count(points.length, owner);
  return points;
}

/** Files from before KiCad 6 name the center, the start and the angle of an arc. */
function readArc(node: List, values: Values): Point[] {
  const [start, end] = [values.pointOf(node, "start"), values.pointOf(node, "end")];
  if (child(node, "mid") !== undefined) return arcBetween(start, values.pointOf(node, "mid"), end);
  const [degrees = 0] = values.numbers(node, "angle");
  const from = Math.atan2(end.y - start.y, end.x - start.x);
  return arcPoints(start, distance(start, end), from, radians(Math.max(-360, Math.min(360, degrees))));
}

function readCurve(node: List, values: Values): Point[] {
  const [a, b, c, d] = readPointList(node, values);
  return a && b && c && d ? curvePoints([a, b, c, d]) : [];
}

function pointsOf(kind: string, node: List, values: Values): Point[] | undefined {
  switch (kind) {
    case "line":
      return [values.pointOf(node, "start"), values.pointOf(node, "end")];
    case "rect": {
      const [a, b] = [values.pointOf(node, "start"), values.pointOf(node, "end")];
      return [a, { x: b.x, y: a.y }, b, { x: a.x, y: b.y }, a];
    }
    case "circle": {
      const center = values.pointOf(node, "center");
      return circlePoints(center, distance(center, values.pointOf(node, "end")));
    }
    case "arc":
      return readArc(node, values);
    case "curve":
    case "bezier":
      return readCurve(node, values);
    case "poly": {
      const points = readPointList(node, values);
      const [first] = points;
      return first === undefined ? points : [...points, first];
    }
    default:
      return undefined;
  }
}

const NOT_FILLED = new Set(["none", "no"]);

/** A drawn line of a board, a footprint or a pad, in the coordinates of its owner. Undefined for other lists. */
export function readStroke(node: List, values: Values): Stroke | undefined {
  const kind = nameOf(node)?.replace(/^(gr|fp)_/, "") ?? "";
  const points = pointsOf(kind, node, values);
  if (points === undefined) return undefined;
  values.count(points.length, node);
  const stroke = child(node, "stroke");
  const widthMm = stroke === undefined ? values.length(node, "width", THIN_MM) : values.length(stroke, "width");
  const fill = textOf(node, "fill") ?? textOf(child(node, "fill"), "type");
  const isFilled = kind === "poly" ? !NOT_FILLED.has(fill ?? "") : fill !== undefined && !NOT_FILLED.has(fill);
  return { points, widthMm, isFilled: isFilled || (kind === "rect" && flag(node, "filled")) };
}

import type { Point } from "../schematic/geometry.ts";

/** Millimetres of the sheet, y downwards. */
export type Box = { left: number; top: number; right: number; bottom: number };

/** What a primitive is, not how it looks: the browser and the SVG writer choose the colours. */
export type Role =
  | "wire"
  | "bus"
  | "junction"
  | "no-connect"
  | "body"
  | "pin"
  | "pin-text"
  | "reference"
  | "value"
  | "field"
  | "label"
  | "sheet"
  | "note"
  | "frame"
  | "missing";

export type Dash = "solid" | "dash" | "dot" | "dash-dot";
/** `ground`: the colour behind the body of a symbol. `ink`: the colour of its line. Otherwise a colour of the file. */
export type Fill = "none" | "ground" | "ink" | { colour: string };

export type LineStyle = {
  role: Role;
  /** Of the line, in millimetres. */
  width: number;
  dash: Dash;
  fill: Fill;
  /** A colour that the file asks for, instead of that of the role. */
  colour?: string | undefined;
};

export type Path = LineStyle & { kind: "path"; points: readonly Point[]; isClosed: boolean };
/** Clockwise on the screen from one angle to the other, in radians. A circle goes from 0 to 2π. */
export type Arc = LineStyle & { kind: "arc"; center: Point; radius: number; from: number; to: number };
export type Across = "left" | "center" | "right";
export type Down = "top" | "center" | "bottom";
export type Writing = {
  kind: "text";
  role: Role;
  at: Point;
  text: string;
  /** The height of a capital letter. */
  size: number;
  /** Text that is turned reads from the bottom up. */
  isTurned: boolean;
  across: Across;
  down: Down;
  isBold: boolean;
  isItalic: boolean;
  colour?: string | undefined;
};
export type Picture = { kind: "picture"; at: Point; width: number; height: number; base64: string };
export type Primitive = Path | Arc | Writing | Picture;

/** Lines of the file with a width of 0 are this wide. */
export const LINE_MM = 0.1524;
export const BUS_MM = 0.3048;

export const lineStyle = (role: Role, more: Partial<LineStyle> = {}): LineStyle => ({
  ...{ role, width: LINE_MM, dash: "solid", fill: "none" },
  ...more,
});

export const path = (points: readonly Point[], style: LineStyle, isClosed = false): Path => ({
  ...style,
  ...{ kind: "path", points, isClosed },
});

export const circle = (center: Point, radius: number, style: LineStyle): Arc => ({
  ...style,
  ...{ kind: "arc", center, radius, from: 0, to: 2 * Math.PI },
});

/** Below this, three points are on one line. */
const FLAT = 1e-9;

/** The arc through three points, or a line when they do not make one. */
export function arcThrough(start: Point, middle: Point, end: Point, style: LineStyle): Primitive {
  const [{ x: ax, y: ay }, { x: bx, y: by }, { x: cx, y: cy }] = [start, middle, end];
  const twice = 2 * (ax * (by - cy) + bx * (cy - ay) + cx * (ay - by));
  if (Math.abs(twice) < FLAT) return path([start, middle, end], style);
  const [a2, b2, c2] = [ax * ax + ay * ay, bx * bx + by * by, cx * cx + cy * cy];
  const center: Point = {
    x: (a2 * (by - cy) + b2 * (cy - ay) + c2 * (ay - by)) / twice,
    y: (a2 * (cx - bx) + b2 * (ax - cx) + c2 * (bx - ax)) / twice,
  };
  const angle = ({ x, y }: Point) => Math.atan2(y - center.y, x - center.x);
  const turn = (from: number, to: number) => (((to - from) % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI);
  // With y downwards, angles grow clockwise.
  const isClockwise = turn(angle(start), angle(middle)) <= turn(angle(start), angle(end));
  const [from, last] = isClockwise ? [angle(start), angle(end)] : [angle(end), angle(start)];
  const radius = Math.hypot(ax - center.x, ay - center.y);
  return { ...style, kind: "arc", center, radius, from, to: from + turn(from, last) };
}

const CURVE_STEPS = 24;

/** A cubic curve as a line of many points. */
export function curvePoints([a, b, c, d]: readonly [Point, Point, Point, Point]): Point[] {
  return Array.from({ length: CURVE_STEPS + 1 }, (_, step): Point => {
    const t = step / CURVE_STEPS;
    const s = 1 - t;
    const mix = (axis: "x" | "y") =>
      s * s * s * a[axis] + 3 * s * s * t * b[axis] + 3 * s * t * t * c[axis] + t * t * t * d[axis];
    return { x: mix("x"), y: mix("y") };
  });
}

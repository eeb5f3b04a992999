import type { Point } from "../schematic/geometry.ts";
import { type LineStyle, type Path, path, type Role, type Writing } from "./primitives.ts";
import { textWidth } from "./text.ts";

/** Degrees of the file, anticlockwise. */
export type Spin = 0 | 90 | 180 | 270;

export const spinOf = (degrees: number): Spin => ((((Math.round(degrees / 90) * 90) % 360) + 360) % 360) as Spin;

/** The direction of something that was turned. */
export const directionOf = (spin: Spin): Point =>
  ({ 0: { x: 1, y: 0 }, 90: { x: 0, y: -1 }, 180: { x: -1, y: 0 }, 270: { x: 0, y: 1 } })[spin];

type Pair = readonly [x: number, y: number];

/** Turns points around an origin, and puts it somewhere. */
export const turned = (points: readonly Pair[], spin: Spin, at: Point): Point[] => {
  const { x: dx, y: dy } = directionOf(spin);
  return points.map(([x, y]) => ({ x: at.x + x * dx - y * dy, y: at.y + x * dy + y * dx }));
};

type Look = { role: Role; size: number; isBold?: boolean; isItalic?: boolean; colour?: string | undefined };

/** Text that goes on from a point in a direction and stays readable: never upside down. */
export function textAlong(words: string, from: Point, spin: Spin, down: Writing["down"], look: Look): Writing {
  const isBack = spin === 180 || spin === 270;
  return {
    ...{ kind: "text", at: from, text: words, isTurned: spin === 90 || spin === 270 },
    ...{ across: isBack ? "right" : "left", down, isBold: false, isItalic: false },
    ...look,
  };
}

const MARGIN = 0.375;

/** The outline around the text of a global label: points to where signals go. */
export function globalOutline(shape: string, words: string, size: number, spin: Spin, at: Point, style: LineStyle) {
  const half = size * (0.5 + MARGIN) + style.width;
  const [points, end] = [half, textWidth(words, size) + 2 * MARGIN * size];
  const isInput = shape === "input" || shape === "bidirectional" || shape === "tri_state";
  const isOutput = shape === "output" || shape === "bidirectional" || shape === "tri_state";
  const start = isInput ? points : 0;
  const outline: Pair[] = [
    ...((isInput ? [[0, 0]] : []) satisfies Pair[]),
    ...([
      [start, -half],
      [start + end, -half],
    ] satisfies Pair[]),
    ...((isOutput ? [[start + end + points, 0]] : []) satisfies Pair[]),
    ...([
      [start + end, half],
      [start, half],
    ] satisfies Pair[]),
  ];
  return { outline: path(turned(outline, spin, at), style, true), textFrom: start + MARGIN * size };
}

/** The small flag of a hierarchical label or of the pin of a sheet, from its end inwards. */
export function flag(shape: string, size: number, spin: Spin, at: Point, style: LineStyle): Path {
  const half = size / 2;
  const passive: Pair[] = [
    [0, -half],
    [size, -half],
    [size, half],
    [0, half],
  ];
  const outlines: Readonly<Record<string, Pair[]>> = {
    input: [
      [0, 0],
      [half, -half],
      [size, -half],
      [size, half],
      [half, half],
    ],
    output: [
      [0, -half],
      [half, -half],
      [size, 0],
      [half, half],
      [0, half],
    ],
    bidirectional: [
      [0, 0],
      [half, -half],
      [size, 0],
      [half, half],
    ],
  };
  const outline = outlines[shape === "tri_state" ? "bidirectional" : shape] ?? passive;
  return path(turned(outline, spin, at), style, true);
}

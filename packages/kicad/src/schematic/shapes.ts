import { child, children, flag, type List, nameOf, numberIn, numbersIn, textAt, textOf } from "../sexpr/index.ts";
import { type Point, round } from "./geometry.ts";

export interface Colour {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
  /** 0 to 1. */
  readonly alpha: number;
}

export interface Stroke {
  /** 0 means the default width of its kind. */
  readonly widthMm: number;
  /** default, solid, dash, dot, dash_dot, dash_dot_dot */
  readonly type: string;
  readonly colour: Colour | undefined;
}

export interface Fill {
  /** none, outline (colour of the stroke), background, color, hatch … */
  readonly type: string;
  readonly colour: Colour | undefined;
}

export interface TextEffects {
  readonly heightMm: number;
  readonly widthMm: number;
  readonly thicknessMm: number | undefined;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly horizontal: "left" | "center" | "right";
  readonly vertical: "top" | "center" | "bottom";
  readonly mirrored: boolean;
  readonly hidden: boolean;
  readonly face: string | undefined;
  readonly colour: Colour | undefined;
}

/** What is drawn and connects nothing: on a sheet in its coordinates, in a symbol in those of the library. */
export type Shape = { readonly node: List; readonly stroke: Stroke; readonly fill: Fill } & (
  | { readonly shape: "polyline" | "bezier"; readonly points: readonly Point[] }
  | { readonly shape: "rectangle"; readonly start: Point; readonly end: Point }
  | { readonly shape: "circle"; readonly center: Point; readonly radiusMm: number }
  | { readonly shape: "arc"; readonly start: Point; readonly mid: Point; readonly end: Point }
);

export interface Text {
  readonly node: List;
  readonly text: string;
  readonly at: Point;
  readonly angle: number;
  readonly effects: TextEffects;
}

export interface TextBox extends Text {
  readonly size: Point;
  readonly stroke: Stroke;
  readonly fill: Fill;
  /** Left, top, right, bottom. */
  readonly marginsMm: readonly [number, number, number, number] | undefined;
}

const DEFAULT_TEXT_MM = 1.27;

export const readPoint = (list: List | undefined): Point => ({ x: numberIn(list, 0), y: numberIn(list, 1) });

export const readPoints = (list: List): Point[] => children(child(list, "pts"), "xy").map(readPoint);

/** The angle after the two coordinates of `(at x y angle)`. */
export const readAngle = (list: List): number => numberIn(child(list, "at"), 2);

/** `(color 0 0 0 0)` means the default. */
function readColour(list: List | undefined): Colour | undefined {
  const colour = child(list, "color");
  if (colour === undefined) return undefined;
  const [red = 0, green = 0, blue = 0, alpha = 1] = numbersIn(colour);
  if (red === 0 && green === 0 && blue === 0 && alpha === 0) return undefined;
  return { red, green, blue, alpha };
}

export function readStroke(list: List): Stroke {
  const stroke = child(list, "stroke");
  return {
    widthMm: numberIn(child(stroke, "width"), 0),
    type: textOf(stroke, "type") ?? "default",
    colour: readColour(stroke),
  };
}

/** Sheets write the colour alone: `(fill (color 0 0 0 0))`. */
export function readFill(list: List): Fill {
  const fill = child(list, "fill");
  const colour = readColour(fill);
  return { type: textOf(fill, "type") ?? (colour === undefined ? "none" : "color"), colour };
}

/** The height of a text, of which nothing else is wanted. */
export const readHeight = (list: List): number =>
  numberIn(child(child(child(list, "effects"), "font"), "size"), 0, DEFAULT_TEXT_MM);

export function readEffects(list: List): TextEffects {
  const effects = child(list, "effects");
  const font = child(effects, "font");
  const justify = child(effects, "justify");
  const size = child(font, "size");
  const heightMm = numberIn(size, 0, DEFAULT_TEXT_MM);
  const thickness = child(font, "thickness");
  return {
    heightMm,
    widthMm: numberIn(size, 1, heightMm),
    thicknessMm: thickness && numbersIn(thickness)[0],
    bold: flag(font, "bold"),
    italic: flag(font, "italic"),
    horizontal: flag(justify, "left") ? "left" : flag(justify, "right") ? "right" : "center",
    vertical: flag(justify, "top") ? "top" : flag(justify, "bottom") ? "bottom" : "center",
    mirrored: flag(justify, "mirror"),
    hidden: flag(effects, "hide") || flag(list, "hide"),
    face: textOf(font, "face"),
    colour: readColour(font),
  };
}

export function readText(node: List): Text {
  const at = child(node, "at");
  return { node, text: textAt(node, 1) ?? "", at: readPoint(at), angle: numberIn(at, 2), effects: readEffects(node) };
}

export function readTextBox(node: List): TextBox {
  const [left, top, right, bottom] = numbersIn(child(node, "margins"));
  const start = child(node, "start");
  const at = readPoint(start ?? child(node, "at"));
  const end = readPoint(child(node, "end"));
  const size = start === undefined ? readPoint(child(node, "size")) : { x: end.x - at.x, y: end.y - at.y };
  const marginsMm =
    left === undefined || top === undefined || right === undefined || bottom === undefined
      ? undefined
      : ([left, top, right, bottom] as const);
  return { ...readText(node), at, size, stroke: readStroke(node), fill: readFill(node), marginsMm };
}

/** Undefined when the list is none of the shapes. */
export function readShape(node: List): Shape | undefined {
  const shape = nameOf(node);
  const look = () => ({ node, stroke: readStroke(node), fill: readFill(node) });
  switch (shape) {
    case "polyline":
    case "bezier":
      return { ...look(), shape, points: readPoints(node) };
    case "rectangle":
      return { ...look(), shape, start: readPoint(child(node, "start")), end: readPoint(child(node, "end")) };
    case "circle":
      return {
        ...look(),
        shape,
        center: readPoint(child(node, "center")),
        radiusMm: numberIn(child(node, "radius"), 0),
      };
    case "arc":
      return {
        ...look(),
        shape,
        start: readPoint(child(node, "start")),
        mid: readArcMiddle(node),
        end: readPoint(child(node, "end")),
      };
    default:
      return undefined;
  }
}

/** Files from before KiCad 6 name center, radius and angles instead of the middle. */
function readArcMiddle(node: List): Point {
  const mid = child(node, "mid");
  if (mid !== undefined) return readPoint(mid);
  const radius = child(node, "radius");
  const center = readPoint(child(radius, "at"));
  const [length = 0] = numbersIn(child(radius, "length"));
  const [from = 0, to = 0] = numbersIn(child(radius, "angles"));
  const middle = ((from + to) / 2) * (Math.PI / 180);
  return { x: round(center.x + length * Math.cos(middle)), y: round(center.y + length * Math.sin(middle)) };
}

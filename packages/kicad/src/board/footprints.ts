import { boxOfPoints } from "../drawing/boxes.ts";
import type { Point } from "../schematic/geometry.ts";
import { readEffects } from "../schematic/shapes.ts";
import { child, children, flag, type List, nameOf, numberIn, numbersIn, textAt } from "../sexpr/index.ts";
import type { Layers } from "./layers.ts";
import { kindOfLayer } from "./layers.ts";
import { readStroke, turn } from "./lines.ts";
import type { BoardText, Graphic, LayerKind, Pad, Part, PartModel, Yard } from "./model.ts";
import type { NetTable } from "./nets.ts";
import { readPadShape } from "./pads.ts";
import type { Values } from "./values.ts";

export interface Reading {
  readonly values: Values;
  readonly layers: Layers;
  readonly nets: NetTable;
}

export interface Footprint {
  readonly part: Part;
  readonly pads: readonly Pad[];
  readonly graphics: readonly Graphic[];
  readonly texts: readonly BoardText[];
}

/** One drawn line on each of its layers; undefined for other lists. */
export function readGraphics(node: List, { values, layers }: Reading, place: (point: Point) => Point): Graphic[] {
  const stroke = readStroke(node, values);
  if (stroke === undefined) return [];
  const points = stroke.points.map(place);
  return layers.of(node).map((layer) => ({ ...stroke, points, layer }));
}

/** Characters of a text that are drawn. */
const MAX_TEXT = 1_000;

export function readBoardText(node: List, text: string, { values, layers }: Reading): BoardText | undefined {
  const [layer] = layers.of(node);
  const effects = readEffects(node);
  if (layer === undefined || effects.hidden || text === "") return undefined;
  const start = child(node, "at") ?? child(node, "start");
  const angle = numberIn(child(node, "at"), 2);
  const heightMm = Math.min(Math.abs(effects.heightMm), 100);
  return {
    layer,
    at: values.point(start, node),
    angle,
    text: text.slice(0, MAX_TEXT),
    effects: { ...effects, heightMm },
  };
}

/** Fields are lists of their own from KiCad 8 on, and texts of a kind before. */
const fieldOf = (node: List, name: string): string | undefined =>
  textAt(
    children(node, "property").find((property) => textAt(property, 1) === name),
    2,
  ) ??
  textAt(
    children(node, "fp_text").find((text) => textAt(text, 1) === name.toLowerCase()),
    2,
  );

function textOfFootprint(node: List, part: Pick<Part, "reference" | "value">): string | undefined {
  const kind = nameOf(node);
  if (kind === "property" && child(node, "layer") === undefined) return undefined;
  const written =
    kind === "fp_text_box" ? textAt(node, 1) : kind === "fp_text" || kind === "property" ? textAt(node, 2) : undefined;
  return written?.replace(/^%R$|\$\{(REFERENCE|VALUE)\}/g, (_, name) =>
    name === "VALUE" ? part.value : part.reference,
  );
}

/** KiCad turns the texts of footprints so that nobody reads them upside down. */
const upright = (angle: number): number => {
  const normal = ((angle % 360) + 360) % 360;
  return normal > 90 && normal <= 270 ? normal - 180 : normal;
};

function readModel(node: List): PartModel {
  const xyz = (name: string, usual: number): [number, number, number] => {
    const [x = usual, y = usual, z = usual] = numbersIn(child(child(node, name), "xyz"));
    return [x, y, z];
  };
  // Up to KiCad 4 offsets were inches.
  const old = xyz("at", 0).map((inches) => inches * 25.4) as [number, number, number];
  const offsetMm = child(node, "offset") === undefined ? old : xyz("offset", 0);
  return { path: textAt(node, 1) ?? "", offsetMm, scale: xyz("scale", 1), rotate: xyz("rotate", 0) };
}

/** The word of KiCad 6 and later, and that of KiCad 5. */
const NOT_PLACED: readonly string[] = ["exclude_from_pos_files", "virtual"];

const YARD_KINDS: readonly (readonly LayerKind[])[] = [["courtyard"], ["fabrication"], ["silk"]];

/** `at`: a footprint of a library does not say where it is. */
export function readFootprint(
  node: List,
  place: number,
  reading: Reading,
  at: Point = reading.values.pointOf(node, "at"),
): Footprint {
  const { layers } = reading;
  const angle = numberIn(child(node, "at"), 2);
  const toBoard = (point: Point): Point => {
    const turned = turn(point, angle);
    return { x: at.x + turned.x, y: at.y + turned.y };
  };
  const names = { reference: fieldOf(node, "Reference") ?? "", value: fieldOf(node, "Value") ?? "" };
  const own: Graphic[] = [];
  const texts: BoardText[] = [];
  for (const item of node.items) {
    if (item.kind !== "list") continue;
    const words = textOfFootprint(item, names);
    const text = words === undefined ? undefined : readBoardText(item, words, reading);
    if (text) {
      const turned = flag(item, "unlocked") || flag(child(item, "at"), "unlocked") ? text.angle : upright(text.angle);
      texts.push({ ...text, at: toBoard(text.at), angle: turned });
    } else if (words === undefined && nameOf(item)?.startsWith("fp_"))
      own.push(...readGraphics(item, reading, (point) => point));
  }
  const models = children(node, "model")
    .filter((model) => !flag(model, "hide"))
    .map(readModel);
  const pads = children(node, "pad").map((pad) => readPad(pad, place, toBoard, reading));
  const local = pads.flatMap((pad) =>
    pad.strokes.flatMap(({ points }) => points.map((point) => fromBoard(point, at, angle))),
  );
  return {
    part: {
      ...names,
      footprint: textAt(node, 1) ?? "",
      side: layers.of(node)[0] === "B.Cu" ? "back" : "front",
      at,
      angle,
      yard: yardOf(own, local, toBoard, angle),
      models,
      hasBody: models.length > 0 || !NOT_PLACED.some((word) => flag(child(node, "attr"), word)),
      padCount: pads.length,
    },
    pads,
    graphics: own.map((graphic) => ({ ...graphic, points: graphic.points.map(toBoard) })),
    texts,
  };
}

const fromBoard = (point: Point, at: Point, angle: number): Point =>
  turn({ x: point.x - at.x, y: point.y - at.y }, -angle);

function yardOf(
  own: readonly Graphic[],
  pads: readonly Point[],
  toBoard: (point: Point) => Point,
  angle: number,
): Yard | undefined {
  const drawn = YARD_KINDS.map((kinds) => own.filter(({ layer }) => kinds.includes(kindOfLayer(layer)))).find(
    (found) => found.length > 0,
  );
  const points = drawn?.flatMap((graphic) => graphic.points) ?? pads;
  if (points.length < 2) return undefined;
  const { left, top, right, bottom } = boxOfPoints(points);
  const middle = toBoard({ x: (left + right) / 2, y: (top + bottom) / 2 });
  return { at: middle, widthMm: right - left, heightMm: bottom - top, angle };
}

function readPad(node: List, part: number, toBoard: (point: Point) => Point, reading: Reading): Pad {
  const at = toBoard(reading.values.pointOf(node, "at"));
  const angle = numberIn(child(node, "at"), 2);
  const layers = new Set(reading.layers.of(node));
  // A hole without copper names copper layers all the same.
  if (textAt(node, 2) === "np_thru_hole" && isAllHole(node))
    for (const layer of layers) if (layer.endsWith(".Cu")) layers.delete(layer);
  const net = reading.nets.of(node);
  return { name: textAt(node, 1) ?? "", part, at, layers, net, ...readPadShape(node, at, angle, reading.values) };
}

function isAllHole(node: List): boolean {
  const [width = 0, height = width] = numbersIn(child(node, "size"));
  const [drill = 0, other = drill] = numbersIn(child(node, "drill"));
  return drill >= width && other >= height;
}

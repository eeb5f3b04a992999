import { type Item, type Point, placeKey, round, type Schematic, samePlace } from "../schematic/index.ts";
import type { NewNode, Splice } from "../sexpr/index.ts";
import { isInside, isLine, junctionPlaces, needsJunction, type World } from "./connection-points.ts";
import {
  type NewLabel,
  type NewSheet,
  newBusEntry,
  newJunction,
  newLabel,
  newLine,
  newNoConnect,
  newSheet,
  newText,
  type Writer,
} from "./new-items.ts";
import { EditFault, insertItems, removeList, writerFor } from "./text.ts";

type NewUuid = () => string;

/** The corners of a path at right angles: across first, or up and down first. */
export function rightAngled(from: Point, to: Point, first: "across" | "upright" = "across"): Point[] {
  const corner = first === "across" ? { x: to.x, y: from.y } : { x: from.x, y: to.y };
  return [from, corner, to].filter((point, at, all) => at === 0 || !samePlace(point, all[at - 1] ?? point));
}

/** Wires through `points`, with the junctions that KiCad would draw. */
export const drawWire = (schematic: Schematic, points: readonly Point[], newUuid: NewUuid): Splice[] =>
  drawLines(schematic, "wire", points, newUuid);

/** A bus through `points`, with the junctions that KiCad would draw. */
export const drawBus = (schematic: Schematic, points: readonly Point[], newUuid: NewUuid): Splice[] =>
  drawLines(schematic, "bus", points, newUuid);

function drawLines(schematic: Schematic, kind: World, points: readonly Point[], newUuid: NewUuid): Splice[] {
  const writer = writerFor(schematic, newUuid);
  const segments = segmentsOf(points);
  if (segments.length === 0) throw new EditFault(`A ${kind} needs two different places.`);
  const fresh = segments.map(({ start, end }): Item => {
    const stroke = { widthMm: 0, type: "default", colour: undefined };
    return { kind, node: schematic.root, uuid: "", start, end, stroke };
  });
  const nodes = segments.map(({ start, end }) => newLine(writer, kind, start, end));
  return insertItems(schematic, [...nodes, ...junctionsFor(schematic, writer, kind, fresh, segments)]);
}

interface Segment {
  readonly start: Point;
  readonly end: Point;
}

function segmentsOf(points: readonly Point[]): Segment[] {
  const rounded = points.map(({ x, y }) => ({ x: round(x), y: round(y) }));
  return rounded.flatMap((start, at) => {
    const end = rounded[at + 1];
    return end === undefined || samePlace(start, end) ? [] : [{ start, end }];
  });
}

/** At the ends of the new lines, and where lines that were there end on them. */
function junctionsFor(
  schematic: Schematic,
  writer: Writer,
  kind: World,
  fresh: readonly Item[],
  segments: readonly Segment[],
): NewNode[] {
  const places = segments.flatMap(({ start, end }) => [start, end]);
  for (const item of schematic.items) {
    if (!isLine(item) || item.kind !== kind) continue;
    for (const end of [item.start, item.end]) if (segments.some((segment) => isInside(end, segment))) places.push(end);
  }
  const there = junctionPlaces(schematic);
  const all = [...schematic.items, ...fresh];
  const nodes: NewNode[] = [];
  for (const place of places) {
    if (there.has(placeKey(place)) || !needsJunction(all, place, kind)) continue;
    there.add(placeKey(place));
    nodes.push(newJunction(writer, place));
  }
  return nodes;
}

export const addJunction = (schematic: Schematic, at: Point, newUuid: NewUuid): Splice[] =>
  insertItems(schematic, [newJunction(writerFor(schematic, newUuid), at)]);

export const addLabel = (schematic: Schematic, label: NewLabel, newUuid: NewUuid): Splice[] => {
  if (label.text.trim() === "") throw new EditFault("A label needs a name.");
  return insertItems(schematic, [newLabel(writerFor(schematic, newUuid), label)]);
};

export const addNoConnect = (schematic: Schematic, at: Point, newUuid: NewUuid): Splice[] =>
  insertItems(schematic, [newNoConnect(writerFor(schematic, newUuid), at)]);

export const addText = (schematic: Schematic, text: string, at: Point, newUuid: NewUuid): Splice[] =>
  insertItems(schematic, [newText(writerFor(schematic, newUuid), text, at)]);

export const addBusEntry = (schematic: Schematic, at: Point, size: Point, newUuid: NewUuid): Splice[] =>
  insertItems(schematic, [newBusEntry(writerFor(schematic, newUuid), at, size)]);

export const addSheet = (schematic: Schematic, sheet: NewSheet, newUuid: NewUuid): Splice[] =>
  insertItems(schematic, [newSheet(writerFor(schematic, newUuid), sheet)]);

/** Removes items, and nothing else. */
export function removeItems(schematic: Schematic, items: readonly Item[]): Splice[] {
  writerFor(schematic, () => "");
  return [...new Set(items)].map((item) => removeList(schematic.text, item.node));
}

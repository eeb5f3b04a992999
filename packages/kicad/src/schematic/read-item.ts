import { child, children, isList, type List, nameOf, numberIn, textAt, textOf } from "../sexpr/index.ts";
import { type Field, readField } from "./fields.ts";
import { round } from "./geometry.ts";
import type { BusEntry, Item, Label, Line, Sheet } from "./items.ts";
import type { LibrarySymbol } from "./library.ts";
import { readFill, readPoint, readPoints, readShape, readStroke, readText, readTextBox } from "./shapes.ts";
import { readSymbol } from "./symbols.ts";

const uuidOf = (node: List): string => textOf(node, "uuid") ?? "";

const LABELS: ReadonlyMap<string, Label["scope"]> = new Map([
  ["label", "local"],
  ["global_label", "global"],
  ["hierarchical_label", "hierarchical"],
  ["netclass_flag", "directive"],
  ["directive_label", "directive"],
]);

/** Undefined for lists that are not items, such as the paper, and for those that this reader does not know. */
export function readItem(node: List, definitions: ReadonlyMap<string, LibrarySymbol>): Item | undefined {
  const name = nameOf(node) ?? "";
  if (name === "symbol") return readSymbol(node, definitions);
  if (name === "wire" || name === "bus") return readLine(node, name);
  const scope = LABELS.get(name);
  if (scope !== undefined) return readLabel(node, scope);
  const placed = { node, uuid: uuidOf(node) };
  switch (name) {
    case "bus_entry":
      return readBusEntry(node);
    case "junction": {
      const diameterMm = numberIn(child(node, "diameter"), 0);
      return { ...placed, kind: "junction", at: readPoint(child(node, "at")), diameterMm };
    }
    case "no_connect":
      return { ...placed, kind: "no_connect", at: readPoint(child(node, "at")) };
    case "sheet":
      return readSheet(node);
    case "text":
      return { ...placed, ...readText(node), kind: "text" };
    case "text_box":
      return { ...placed, ...readTextBox(node), kind: "text_box" };
    case "image": {
      const scale = numberIn(child(node, "scale"), 0, 1);
      return { ...placed, kind: "image", at: readPoint(child(node, "at")), scale };
    }
    case "rule_area": {
      const outline = child(node, "polyline") ?? node;
      const uuid = placed.uuid || uuidOf(outline);
      const look = { stroke: readStroke(outline), fill: readFill(outline) };
      return { node, uuid, kind: "rule_area", outline: readPoints(outline), ...look };
    }
    case "table":
      return { ...placed, kind: "table", cells: children(child(node, "cells"), "table_cell").map(readTextBox) };
    default: {
      const drawing = readShape(node);
      return drawing === undefined ? undefined : { ...placed, kind: "shape", drawing };
    }
  }
}

function readLine<Kind extends Line["kind"]>(node: List, kind: Kind): Line<Kind> {
  const points = readPoints(node);
  const start = points[0] ?? { x: 0, y: 0 };
  return { kind, node, uuid: uuidOf(node), start, end: points.at(-1) ?? start, stroke: readStroke(node) };
}

function readBusEntry(node: List): BusEntry {
  const [at, size] = [readPoint(child(node, "at")), readPoint(child(node, "size"))];
  const end = { x: round(at.x + size.x), y: round(at.y + size.y) };
  return { kind: "bus_entry", node, uuid: uuidOf(node), at, size, end, stroke: readStroke(node) };
}

function readLabel(node: List, scope: Label["scope"]): Label {
  const fields = children(node, "property").map(readField);
  const { text, at, angle, effects } = readText(node);
  const [uuid, shape] = [uuidOf(node), textOf(node, "shape")];
  return { kind: "label", node, uuid, text, at, angle, effects, scope, shape, fields };
}

function readSheet(node: List): Sheet {
  const fields = children(node, "property").map(readField);
  const pages = new Map<string, string>();
  for (const project of children(child(node, "instances"), "project")) {
    for (const path of children(project, "path")) pages.set(textAt(path, 1) ?? "", textOf(path, "page") ?? "");
  }
  return {
    kind: "sheet",
    node,
    uuid: uuidOf(node),
    at: readPoint(child(node, "at")),
    size: readPoint(child(node, "size")),
    name: sheetField(fields, ["Sheetname", "Sheet name"], 0)?.text ?? "",
    file: sheetField(fields, ["Sheetfile", "Sheet file"], 1)?.text ?? "",
    fields,
    pins: children(node, "pin").map((pin) => ({
      ...readText(pin),
      uuid: uuidOf(pin),
      name: textAt(pin, 1) ?? "",
      shape: textAt(pin, 2) ?? "passive",
    })),
    stroke: readStroke(node),
    fill: readFill(node),
    pages,
  };
}

/** Early versions of KiCad 6 wrote the names of these two fields in the language of the person; their order was the same. */
const sheetField = (fields: readonly Field[], names: readonly string[], at: number): Field | undefined =>
  fields.find(({ name }) => names.includes(name)) ?? fields[at];

/** The picture of an image item: base64 of a PNG or JPEG file, as KiCad keeps it. */
export function imageData(node: List): string {
  const data = child(node, "data");
  return (data?.items.slice(1) ?? []).map((item) => (isList(item) ? "" : item.value)).join("");
}

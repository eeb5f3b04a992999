import type { List } from "../sexpr/index.ts";
import { child, children, faultAt, flag, nameOf, numberIn, readTree, textAt, textOf } from "../sexpr/index.ts";
import { type Field, readField } from "./fields.ts";
import type { Point } from "./geometry.ts";
import {
  readHeight,
  readPoint,
  readShape,
  readText,
  readTextBox,
  type Shape,
  type Text,
  type TextBox,
} from "./shapes.ts";

export interface LibraryPin {
  readonly node: List;
  readonly number: string;
  /** `~` means that the pin has no name. */
  readonly name: string;
  /** input, output, bidirectional, tri_state, passive, free, unspecified, power_in, power_out, open_collector, open_emitter, no_connect */
  readonly type: string;
  /** line, inverted, clock, inverted_clock, input_low, clock_low, output_low, edge_clock_high, non_logic */
  readonly shape: string;
  /** Where wires connect. */
  readonly at: Point;
  /** The direction from there to the body: 0 is to the right, 90 is up. */
  readonly angle: number;
  readonly lengthMm: number;
  /** Where it meets the body. */
  readonly inner: Point;
  readonly hidden: boolean;
  readonly nameHeightMm: number;
  readonly numberHeightMm: number;
  readonly alternates: readonly { readonly name: string; readonly type: string; readonly shape: string }[];
}

/** What is drawn for one unit and one body style. Unit 0 belongs to every unit, style 0 to every style. */
export interface LibraryPart {
  readonly unit: number;
  readonly bodyStyle: number;
  readonly shapes: readonly Shape[];
  readonly texts: readonly Text[];
  readonly textBoxes: readonly TextBox[];
  readonly pins: readonly LibraryPin[];
}

export interface LibrarySymbol {
  readonly node: List;
  /** The list that has its parts: its own, or that of the symbol it extends. */
  readonly body: List;
  /** With its library: `Device:R`; inside a library file without it. */
  readonly name: string;
  readonly extends: string | undefined;
  readonly power: "global" | "local" | undefined;
  readonly pinNumbersHidden: boolean;
  readonly pinNamesHidden: boolean;
  /** 0: names are drawn outside of the body, above their pin. */
  readonly pinNameOffsetMm: number;
  readonly inBom: boolean;
  readonly onBoard: boolean;
  readonly fields: readonly Field[];
  readonly parts: readonly LibraryPart[];
  /** Units, at least 1. */
  readonly unitCount: number;
  /** Of all units and body styles. */
  readonly pinCount: number;
}

/** Symbols that extend each other, one after the other. KiCad's libraries have two. */
const MAX_EXTENDED = 32;
const DEFAULT_PIN_NAME_OFFSET_MM = 0.508;

export function readLibrarySymbol(node: List): LibrarySymbol {
  const name = textAt(node, 1) ?? "";
  const [pinNames, power] = [child(node, "pin_names"), child(node, "power")];
  const parts = [
    readPart(node, 0, 0),
    ...children(node, "symbol").map((part) => readPart(part, ...unitAndStyle(part))),
  ];
  return {
    node,
    body: node,
    name,
    extends: textOf(node, "extends"),
    power: power === undefined ? undefined : textAt(power, 1) === "local" ? "local" : "global",
    pinNumbersHidden: flag(child(node, "pin_numbers"), "hide"),
    pinNamesHidden: flag(pinNames, "hide"),
    pinNameOffsetMm: numberIn(child(pinNames, "offset"), 0, DEFAULT_PIN_NAME_OFFSET_MM),
    inBom: textOf(node, "in_bom") !== "no",
    onBoard: textOf(node, "on_board") !== "no",
    fields: children(node, "property").map(readField),
    parts: parts.filter(({ shapes, texts, textBoxes, pins }) =>
      [shapes, texts, textBoxes, pins].some((things) => things.length > 0),
    ),
    unitCount: parts.reduce((most, part) => Math.max(most, part.unit), 1),
    pinCount: parts.reduce((sum, part) => sum + part.pins.length, 0),
  };
}

/** `R_1_2` is unit 1 in body style 2. */
function unitAndStyle(part: List): [number, number] {
  const words = (textAt(part, 1) ?? "").split("_");
  const [unit, style] = words.slice(-2).map(Number);
  return [Number.isInteger(unit) ? (unit ?? 0) : 0, Number.isInteger(style) ? (style ?? 0) : 0];
}

function readPart(node: List, unit: number, bodyStyle: number): LibraryPart {
  const [shapes, texts, textBoxes, pins]: [Shape[], Text[], TextBox[], LibraryPin[]] = [[], [], [], []];
  for (const item of node.items) {
    if (item.kind !== "list") continue;
    const name = nameOf(item);
    if (name === "pin") pins.push(readPin(item));
    else if (name === "text") texts.push(readText(item));
    else if (name === "text_box") textBoxes.push(readTextBox(item));
    else {
      const shape = readShape(item);
      if (shape !== undefined) shapes.push(shape);
    }
  }
  return { unit, bodyStyle, shapes, texts, textBoxes, pins };
}

function readPin(node: List): LibraryPin {
  const [name, number] = [child(node, "name"), child(node, "number")];
  const place = child(node, "at");
  const [at, angle, lengthMm] = [readPoint(place), numberIn(place, 2), numberIn(child(node, "length"), 0)];
  const turn = (angle * Math.PI) / 180;
  return {
    node,
    number: textAt(number, 1) ?? "",
    name: textAt(name, 1) ?? "~",
    type: textAt(node, 1) ?? "unspecified",
    shape: textAt(node, 2) ?? "line",
    at,
    angle,
    lengthMm,
    inner: { x: at.x + lengthMm * Math.cos(turn), y: at.y + lengthMm * Math.sin(turn) },
    hidden: flag(node, "hide"),
    nameHeightMm: name === undefined ? 0 : readHeight(name),
    numberHeightMm: number === undefined ? 0 : readHeight(number),
    alternates: children(node, "alternate").map((list) => ({
      name: textAt(list, 1) ?? "",
      type: textAt(list, 2) ?? "unspecified",
      shape: textAt(list, 3) ?? "line",
    })),
  };
}

/** The symbols of a `.kicad_sym` file by their names, each with the parts of the one it extends. */
export function readSymbolLibrary(text: string): Map<string, LibrarySymbol> {
  const root = readTree(text);
  if (nameOf(root) !== "kicad_symbol_lib") throw faultAt(text, root.start, "This is not a KiCad symbol library");
  const own = new Map(children(root, "symbol").map((node) => [textAt(node, 1) ?? "", readLibrarySymbol(node)]));
  const whole = new Map<string, LibrarySymbol>();
  for (const symbol of own.values()) whole.set(symbol.name, withParent(text, symbol, own));
  return whole;
}

/**
 * A symbol that extends another has its parts and settings, and its own fields before the other's. One whose parent is not in
 * the file stays without parts.
 */
function withParent(text: string, symbol: LibrarySymbol, all: ReadonlyMap<string, LibrarySymbol>): LibrarySymbol {
  const library = symbol.name.includes(":") ? symbol.name.slice(0, symbol.name.indexOf(":") + 1) : "";
  let whole = symbol;
  const seen = new Set([symbol.name]);
  for (let parent = symbol.extends; parent !== undefined; ) {
    const found: LibrarySymbol | undefined = all.get(parent) ?? all.get(library + parent);
    if (found === undefined) return whole;
    if (seen.has(found.name)) throw faultAt(text, symbol.node.start, `${symbol.name} extends itself`);
    if (seen.size >= MAX_EXTENDED) throw faultAt(text, symbol.node.start, `${symbol.name} extends too many symbols`);
    seen.add(found.name);
    const names = new Set(whole.fields.map((field) => field.name));
    const fields = [...whole.fields, ...found.fields.filter((field) => !names.has(field.name))];
    const { name, node, inBom, onBoard } = whole;
    whole = { ...found, name, node, inBom, onBoard, extends: symbol.extends, fields };
    parent = found.extends;
  }
  return whole;
}

import { dialectOf, type Point, readOnlyReason, type Schematic } from "../schematic/index.ts";
import {
  atomAt,
  child,
  children,
  type List,
  layoutOf,
  type NewNode,
  type Splice,
  writeNode,
  writeNumber,
} from "../sexpr/index.ts";
import type { Writer } from "./new-items.ts";

/** An edit that cannot be made, with the reason for the person who asked. */
export class EditFault extends Error {
  override readonly name = "EditFault";
}

/** Refuses files that can only be looked at. */
export function writerFor(schematic: Schematic, newUuid: () => string): Writer {
  const dialect = dialectOf(schematic.version);
  if (dialect === undefined) throw new EditFault(readOnlyReason(schematic.version) ?? "This file cannot be edited.");
  return { dialect, newUuid };
}

/** Lists that KiCad has after the items. */
const TAIL = new Set(["sheet_instances", "symbol_instances", "embedded_fonts", "embedded_files"]);

/** New items after those that are there. */
export function insertItems(schematic: Schematic, nodes: readonly NewNode[]): Splice[] {
  if (nodes.length === 0) return [];
  const { root, text } = schematic;
  const layout = layoutOf(text, root);
  let place = root.items[0]?.end ?? root.start + 1;
  for (const item of root.items) {
    if (item.kind === "list" && TAIL.has(atomAt(item, 0)?.value ?? "")) break;
    place = item.end;
  }
  const written = nodes.map((node) => layout.newline + layout.step + writeNode(node, layout, 1));
  return [{ start: place, end: place, text: written.join("") }];
}

/** A new list as the last one inside `parent`, which is `depth` steps deep. */
export function appendTo(schematic: Schematic, parent: List, node: NewNode, depth: number): Splice {
  const layout = layoutOf(schematic.text, schematic.root);
  const place = parent.items.at(-1)?.end ?? parent.start + 1;
  const gap = layout.newline + layout.step.repeat(depth + 1);
  return { start: place, end: place, text: gap + writeNode(node, layout, depth + 1) };
}

/** A list and the white space before it. */
export function removeList(text: string, list: List): Splice {
  let start = list.start;
  while (start > 0 && text.charCodeAt(start - 1) <= 32) start--;
  return { start, end: list.end, text: "" };
}

/** Nothing when the number is written there already, so that its digits stay as they are. */
export function setNumber(list: List | undefined, index: number, value: number): Splice[] {
  const atom = atomAt(list, index);
  if (list === undefined || (atom !== undefined && Number(atom.value) === Number(writeNumber(value)))) return [];
  if (atom !== undefined) return [{ start: atom.start, end: atom.end, text: writeNumber(value) }];
  const place = list.items[index - 1]?.end ?? list.end - 1;
  return [{ start: place, end: place, text: ` ${writeNumber(value)}` }];
}

export const setPoint = (list: List | undefined, point: Point): Splice[] => [
  ...setNumber(list, 1, point.x),
  ...setNumber(list, 2, point.y),
];

/** Names of lists that are a place: `(at x y …)`, `(xy x y)` and so on. */
const PLACES = ["at", "start", "mid", "end", "center"];

/** Every list of an item that is a place on the sheet, those of its fields, pins and cells included. */
export function placesOf(node: List): List[] {
  const places = PLACES.flatMap((name) => children(node, name));
  places.push(...children(child(node, "pts"), "xy"));
  for (const name of ["property", "pin", "polyline"])
    for (const part of children(node, name)) places.push(...placesOf(part));
  for (const cell of children(child(node, "cells"), "table_cell")) places.push(...placesOf(cell));
  return places;
}

import type { FileSplices } from "../edits/index.ts";
import { appendTo } from "../edits/text.ts";
import {
  type Design,
  dialectOf,
  fieldText,
  itemsOf,
  type PlacedSymbol,
  readSchematic,
  referenceShown,
  type SheetInstance,
  valueShown,
} from "../schematic/index.ts";
import { applySplices, child, layoutOf, type NewNode, quoted, type Splice, writeNode } from "../sexpr/index.ts";

/** Where the file of a sheet is used in a design. A file that is used twice has two. */
export const usesOf = (design: Design, { file }: Pick<SheetInstance, "file">): SheetInstance[] =>
  design.sheets.filter((sheet) => sheet.file === file);

export function addChanges(changes: FileSplices, file: string, splices: readonly Splice[]): void {
  if (splices.length > 0) changes.set(file, [...(changes.get(file) ?? []), ...splices]);
}

/** Whether the references of all symbols and the pages of all sheets are in the root file, as KiCad 6 has them. */
const keepsInstancesInRoot = (design: Design): boolean => dialectOf(design.sheets[0]?.schematic.version ?? 0) === 6;

/** Lists for the end of the root file, in the one that has its like; made where the file has none. */
export function appendToRoot(design: Design, list: "sheet_instances" | "symbol_instances", nodes: NewNode[]): Splice[] {
  const root = design.sheets[0];
  if (root === undefined || nodes.length === 0 || !keepsInstancesInRoot(design)) return [];
  const { schematic } = root;
  const there = child(schematic.root, list);
  if (there !== undefined) return nodes.map((node) => appendTo(schematic, there, node, 1));
  const layout = layoutOf(schematic.text, schematic.root);
  const place = schematic.root.items.at(-1)?.end ?? schematic.root.end - 1;
  const written = writeNode([list, ...nodes], layout, 1);
  return [{ start: place, end: place, text: layout.newline + layout.step + written }];
}

/**
 * Changes of one sheet, and what a root file of KiCad 6 must know of the symbols that they add: their references in every use
 * of the sheet.
 */
export function withReferences(design: Design, sheet: SheetInstance, splices: readonly Splice[]): FileSplices {
  const changes: FileSplices = new Map();
  addChanges(changes, sheet.file, splices);
  const root = design.sheets[0];
  if (root === undefined || !keepsInstancesInRoot(design)) return changes;
  const before = new Set(itemsOf(sheet.schematic, "symbol").map(({ uuid }) => uuid));
  const after = readSchematic(applySplices(sheet.schematic.text, splices));
  const known = sheet.file === root.file ? after.rootInstances : root.schematic.rootInstances;
  const nodes = itemsOf(after, "symbol").flatMap((symbol) =>
    before.has(symbol.uuid)
      ? []
      : usesOf(design, sheet).flatMap(({ shortPath }) => {
          const path = `${shortPath === "/" ? "" : shortPath}/${symbol.uuid}`;
          return known.has(path) ? [] : [referenceNode(path, symbol)];
        }),
  );
  addChanges(changes, root.file, appendToRoot(design, "symbol_instances", nodes));
  return changes;
}

const referenceNode = (path: string, symbol: PlacedSymbol): NewNode => [
  "path",
  quoted(path),
  ["reference", quoted(referenceShown(symbol))],
  ["unit", symbol.unit],
  ["value", quoted(valueShown(symbol))],
  ["footprint", quoted(fieldText(symbol.fields, "Footprint") ?? "")],
];

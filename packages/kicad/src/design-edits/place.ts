import { type FileSplices, type Placement, pasteItems, placeSymbol } from "../edits/index.ts";
import type { Design, LibrarySymbol, Point, SheetInstance } from "../schematic/index.ts";
import { usesOf, withReferences } from "./changes.ts";

const pathsOf = (design: Design, sheet: SheetInstance) =>
  usesOf(design, sheet).map(({ path }) => ({ project: design.project, path }));

/** Places a symbol of a library on a sheet of a design, in every use of that sheet. */
export const placeSymbolIn = (
  design: Design,
  sheet: SheetInstance,
  symbol: LibrarySymbol,
  placement: Omit<Placement, "uses">,
  newUuid: () => string,
): FileSplices => {
  const whole = { ...placement, uses: pathsOf(design, sheet) };
  return withReferences(design, sheet, placeSymbol(sheet.schematic, symbol, whole, newUuid));
};

/** Puts what `copyItems` gave on a sheet of a design, moved by `delta`. */
export const pasteInto = (
  design: Design,
  sheet: SheetInstance,
  copied: string,
  delta: Point,
  newUuid: () => string,
): FileSplices => {
  const uses = pathsOf(design, sheet);
  return withReferences(design, sheet, pasteItems(sheet.schematic, copied, delta, { newUuid, uses }));
};

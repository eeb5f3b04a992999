import type { Design, PlacedSymbol, SheetInstance } from "../schematic/index.ts";
import { fieldIn, itemsOf, referenceOf } from "../schematic/index.ts";

/** A part, with all its units. */
export interface Component {
  readonly reference: string;
  readonly value: string;
  readonly footprint: string;
  readonly doNotPopulate: boolean;
  readonly inBom: boolean;
  readonly onBoard: boolean;
  /** The first of its units. */
  readonly symbol: PlacedSymbol;
  readonly sheet: SheetInstance;
}

/** The parts of a design by their references, R2 before R10. Power symbols and others with # are not parts. */
export function componentsOf(design: Design): Component[] {
  const found = new Map<string, Component>();
  for (const sheet of design.sheets) {
    for (const symbol of itemsOf(sheet.schematic, "symbol")) {
      const reference = referenceOf(symbol, sheet);
      if (reference.startsWith("#") || symbol.library?.power !== undefined || found.has(reference)) continue;
      const { doNotPopulate, inBom, onBoard } = symbol;
      const footprint = fieldIn(symbol, sheet, "Footprint");
      found.set(reference, {
        reference,
        value: fieldIn(symbol, sheet, "Value"),
        footprint,
        doNotPopulate,
        inBom,
        onBoard,
        symbol,
        sheet,
      });
    }
  }
  return [...found.values()].sort((a, b) => compareReferences(a.reference, b.reference));
}

/** Digits at the end as a number. */
export function compareReferences(one: string, other: string): number {
  const [a, b] = [one, other].map((reference) => {
    let end = reference.length;
    while (end > 0 && /\d/.test(reference[end - 1] ?? "")) end--;
    return { letters: reference.slice(0, end), number: Number(reference.slice(end) || -1) };
  });
  if (a === undefined || b === undefined) return 0;
  return a.letters < b.letters ? -1 : a.letters > b.letters ? 1 : a.number - b.number;
}

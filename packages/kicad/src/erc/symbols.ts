import type { Design, PlacedSymbol, SheetInstance } from "../schematic/index.ts";
import { fieldIn, itemsOf, referenceOf, unitOf } from "../schematic/index.ts";
import { type Finding, finding } from "./findings.ts";

interface Use {
  readonly sheet: SheetInstance;
  readonly symbol: PlacedSymbol;
  readonly reference: string;
  readonly unit: number;
}

const place = ({ sheet, symbol }: Use) => ({ sheet, at: symbol.at, items: [symbol] });

/** Symbols: numbered, each reference once, all units alike and there. */
export function checkSymbols(design: Design): Finding[] {
  const byReference = new Map<string, Use[]>();
  const findings: Finding[] = [];
  for (const sheet of design.sheets) {
    for (const symbol of itemsOf(sheet.schematic, "symbol")) {
      const use = { sheet, symbol, reference: referenceOf(symbol, sheet), unit: unitOf(symbol, sheet) };
      findings.push(...checkSymbol(use));
      if (isNumbered(use.reference) && symbol.library?.power === undefined) {
        const uses = byReference.get(use.reference) ?? [];
        byReference.set(use.reference, uses);
        uses.push(use);
      }
    }
  }
  return [...findings, ...[...byReference.values()].flatMap(checkUnits)];
}

const isNumbered = (reference: string): boolean => /\d$/.test(reference);

function checkSymbol(use: Use): Finding[] {
  const { symbol, reference, unit } = use;
  const findings: Finding[] = [];
  if (symbol.library === undefined) {
    findings.push(
      finding("lib_symbol_issues", `${reference} has no definition in this file: ${symbol.libId}.`, place(use)),
    );
  } else {
    if (!isNumbered(reference) && symbol.library.power === undefined) {
      findings.push(finding("unannotated", `${reference || "A symbol"} has no number yet.`, place(use)));
    }
    if (unit > symbol.library.unitCount) {
      const message = `${reference} is unit ${unit} of a symbol that has ${symbol.library.unitCount}.`;
      findings.push(finding("extra_units", message, place(use)));
    }
  }
  return findings;
}

/** The uses of one reference: the units of one part, or a mistake. */
function checkUnits(uses: readonly Use[]): Finding[] {
  const [first, ...others] = uses;
  if (first === undefined) return [];
  const findings: Finding[] = [];
  const units = new Set([first.unit]);
  for (const use of others) {
    const name = use.reference;
    if (use.symbol.libId !== first.symbol.libId || units.has(use.unit)) {
      findings.push(finding("duplicate_reference", `${name} is there more than once.`, place(use)));
    } else if (fieldIn(use.symbol, use.sheet, "Value") !== fieldIn(first.symbol, first.sheet, "Value")) {
      findings.push(finding("unit_value_mismatch", `The units of ${name} have different values.`, place(use)));
    } else if (fieldIn(use.symbol, use.sheet, "Footprint") !== fieldIn(first.symbol, first.sheet, "Footprint")) {
      findings.push(finding("different_unit_footprint", `The units of ${name} have different footprints.`, place(use)));
    }
    units.add(use.unit);
  }
  const count = first.symbol.library?.unitCount ?? 1;
  const missing = Array.from({ length: Math.min(count, 1000) }, (_, at) => at + 1).filter((unit) => !units.has(unit));
  if (missing.length > 0) {
    findings.push(finding("missing_unit", `${first.reference} lacks unit ${missing.join(", ")}.`, place(first)));
  }
  return findings;
}

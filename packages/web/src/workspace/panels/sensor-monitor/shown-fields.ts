import type { Capability } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { numbersOf } from "../../plot-panel/fields.ts";
import type { Plotted } from "../../plot-panel/plot-panel.tsx";
import { FormulaFault, parseFormula } from "./formula.ts";

const USUAL_FIELDS = 4;

export const isFormula = (entry: string): boolean => entry.startsWith("=");

/** What the state of the panel names: fields and formulas. Without it, the first fields. */
export function entriesOf({ fields }: JsonObject, capability: Capability): string[] {
  if (Array.isArray(fields)) return fields.filter((each): each is string => typeof each === "string");
  return numbersOf(capability)
    .slice(0, USUAL_FIELDS)
    .map(({ key }) => key);
}

/** A formula that cannot be read, or a field that is not there, is a fault instead. */
export type Entry = { entry: string; plotted: Plotted } | { entry: string; fault: string };

export function readEntry(entry: string, capability: Capability): Entry {
  const all = numbersOf(capability);
  const known = all.find(({ key }) => key === entry);
  if (known) return { entry, plotted: { ...known, label: entry } };
  if (!isFormula(entry)) return { entry, fault: `The device does not measure ${entry}.` };
  try {
    return { entry, plotted: plottedFormula(entry, all) };
  } catch (error) {
    if (error instanceof FormulaFault) return { entry, fault: error.message };
    throw error;
  }
}

function plottedFormula(entry: string, all: readonly Plotted[]): Plotted {
  const formula = parseFormula(
    entry,
    all.map(({ key }) => key),
  );
  const unit = formula.unit((field) => all.find(({ key }) => key === field)?.unit ?? "");
  return {
    ...{ key: entry, label: entry, unit },
    read: (track, sample) => formula.evaluate((field) => track.valueAt(field, sample)),
  };
}

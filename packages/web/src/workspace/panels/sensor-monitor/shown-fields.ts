import type { Capability } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import type { Fitting } from "../../device-panel/fitting.ts";
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

export function readEntry(entry: string, { device, capability }: Fitting): Entry {
  const own = numbersOf(capability);
  const all = [...own, ...otherNumbers({ device, capability })];
  const known = all.find(({ key }) => key === entry);
  if (known) return { entry, plotted: { ...known, label: entry } };
  if (!isFormula(entry)) return { entry, fault: `The device does not measure ${entry}.` };
  try {
    return { entry, plotted: plottedFormula(entry, all, capability.id) };
  } catch (error) {
    if (error instanceof FormulaFault) return { entry, fault: error.message };
    throw error;
  }
}

/** Names in formulas have letters, digits and underlines. */
const nameIn = (id: string): string => id.replace(/^(?=\d)|[^a-z0-9_]/gi, "_");

/** What other capabilities of the device measure, by `capability.field`. */
export const otherNumbers = ({ device, capability }: Fitting): Plotted[] =>
  device.capabilities
    .filter(({ id }) => id !== capability.id)
    .flatMap((other) =>
      numbersOf(other).map(({ key, ...number }) => {
        const name = nameIn(other.id);
        return {
          ...{ ...number, key: `${name}.${key}`, from: new Map([[name, other.id]]) },
          read: (track, sample) => track.valueAt(`${name}.${key}`, sample),
        } satisfies Plotted;
      }),
    );

function plottedFormula(entry: string, all: readonly Plotted[], shown: string): Plotted {
  const formula = parseFormula(
    entry,
    all.map(({ key }) => key),
  );
  const unit = formula.unit((field) => all.find(({ key }) => key === field)?.unit ?? "");
  const used = formula.fields.map((field) => all.find(({ key }) => key === field)?.from ?? new Map([["", shown]]));
  const from = new Map(used.flatMap((each) => [...each]));
  return {
    ...{ key: entry, label: entry, unit },
    // Of the panel's own capability alone, nothing has to be joined.
    ...(from.size === 0 || (from.size === 1 && from.has("")) ? {} : { from }),
    read: (track, sample) => formula.evaluate((field) => track.valueAt(field, sample)),
  };
}

import type { Capability, Field } from "@backplane/contract/devices";
import type { Track } from "../parts/plot/track.ts";
import type { Plotted } from "./plot-panel.tsx";

const NUMERIC: ReadonlySet<Field["datatype"]> = new Set(["number", "integer", "boolean"]);

/** Ends of names that say the unit, which people read beside the value. */
const UNIT_ENDS = /_(rad_s|m_s2|m_s|rad|c|pa|hpa|pct|v|a|w|wh|mah|nm|ut|mm|m|s|ms|us|hz|rpm|deg|dbm|ppm|lx|k)$/;

/** `motor_c` → Motor. */
export function fieldLabel(field: string): string {
  const words = field.replace(UNIT_ENDS, "").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const known = new WeakMap<Capability, Plotted[]>();

/** The numbers that a capability measures, always the same ones: what was summed up of them is kept by how they are read. */
export function numbersOf(capability: Capability): Plotted[] {
  const numbers =
    known.get(capability) ??
    Object.entries(capability.fields)
      .filter(([, { datatype }]) => NUMERIC.has(datatype))
      .map(([key, { unit = "" }]) => ({
        ...{ key, unit, field: key, label: fieldLabel(key) },
        read: (track: Track, sample: number) => track.valueAt(key, sample),
      }));
  known.set(capability, numbers);
  return numbers;
}

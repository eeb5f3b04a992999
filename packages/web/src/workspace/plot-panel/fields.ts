import type { Capability, Field } from "@backplane/contract/devices";
import type { Plotted } from "./plot-panel.tsx";

const NUMERIC: ReadonlySet<Field["datatype"]> = new Set(["number", "integer", "boolean"]);

/** Ends of names that say the unit, which people read beside the value. */
const UNIT_ENDS = /_(rad_s|m_s2|m_s|rad|c|pa|hpa|pct|v|a|w|wh|mah|nm|ut|mm|m|s|ms|us|hz|rpm|deg|dbm|ppm|lx|k)$/;

/** `motor_c` → Motor. */
export function fieldLabel(field: string): string {
  const words = field.replace(UNIT_ENDS, "").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The numbers that a capability measures. The key is the name of the field. */
export const numbersOf = ({ fields }: Capability): Plotted[] =>
  Object.entries(fields)
    .filter(([, { datatype }]) => NUMERIC.has(datatype))
    .map(([key, { unit = "" }]) => ({
      ...{ key, unit, field: key, label: fieldLabel(key) },
      read: (track, sample) => track.valueAt(key, sample),
    }));

import { type Design, fieldText } from "../schematic/index.ts";
import { type Component, componentsOf } from "./components.ts";

export interface BomLine {
  readonly references: readonly string[];
  readonly value: string;
  readonly footprint: string;
  readonly doNotPopulate: boolean;
  /** The values of the fields that were asked for, in that order. */
  readonly fields: readonly string[];
}

/** Parts to buy: those of the same value, footprint and asked fields share a line. */
export function readBom(design: Design, fields: readonly string[] = []): BomLine[] {
  const lines = new Map<string, { first: Component; references: string[]; fields: string[] }>();
  for (const component of componentsOf(design)) {
    if (!component.inBom) continue;
    const asked = fields.map((name) => fieldText(component.symbol.fields, name) ?? "");
    const key = JSON.stringify([component.value, component.footprint, component.doNotPopulate, asked]);
    const line = lines.get(key) ?? { first: component, references: [], fields: asked };
    lines.set(key, line);
    line.references.push(component.reference);
  }
  return [...lines.values()].map(({ first, references, fields: asked }) => {
    const { value, footprint, doNotPopulate } = first;
    return { references, value, footprint, doNotPopulate, fields: asked };
  });
}

/** As comma-separated values (RFC 4180), one line per kind of part. */
export function writeBom(design: Design, fields: readonly string[] = []): string {
  const head = ["Reference", "Value", "Footprint", "Quantity", "Do not populate", ...fields];
  const rows = readBom(design, fields).map((line) => [
    line.references.join(" "),
    line.value,
    line.footprint,
    String(line.references.length),
    line.doNotPopulate ? "yes" : "",
    ...line.fields,
  ]);
  return [head, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/** A spreadsheet runs what begins with = or @ as a formula; a space before it keeps it a text. */
function cell(text: string): string {
  const safe = /^[=@\t\r]/.test(text) ? ` ${text}` : text;
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

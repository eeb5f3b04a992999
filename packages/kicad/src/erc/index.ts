import { type Nets, readNets } from "../nets/index.ts";
import type { Design } from "../schematic/index.ts";
import type { Finding } from "./findings.ts";
import { checkLabels } from "./labels.ts";
import { checkPins } from "./pins.ts";
import { checkSheets } from "./sheets.ts";
import { checkSymbols } from "./symbols.ts";
import { readTouching } from "./touching.ts";
import { checkWires } from "./wires.ts";

export type { Finding, Rule } from "./findings.ts";
export { pinConflict } from "./pin-matrix.ts";

/** Findings, at most. A file that has more is not read to the end by anybody. */
export const MAX_FINDINGS = 5000;

/** Checks a design by KiCad's default electrical rules. Errors come first, then the order of the sheets. */
export function checkDesign(design: Design, nets: Nets = readNets(design)): Finding[] {
  const touching = design.sheets.map(readTouching);
  const findings = [
    ...checkSheets(design),
    ...checkSymbols(design),
    ...checkPins(design, nets, touching),
    ...checkLabels(design, nets, touching),
    ...checkWires(design, nets, touching),
  ];
  const order = new Map(design.sheets.map((sheet, at) => [sheet, at]));
  const weight = ({ severity }: Finding) => (severity === "error" ? 0 : 1);
  const sorted = findings.sort(
    (a, b) => weight(a) - weight(b) || (order.get(a.sheet) ?? 0) - (order.get(b.sheet) ?? 0),
  );
  return sorted.slice(0, MAX_FINDINGS);
}

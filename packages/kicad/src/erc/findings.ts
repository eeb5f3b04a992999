import type { Item, Point, SheetInstance } from "../schematic/index.ts";

/** Rules by the names that KiCad gives them in its reports, and how bad they are by default. */
const RULES = {
  bus_definition_conflict: "error",
  bus_entry_needed: "error",
  bus_to_net_conflict: "error",
  different_unit_footprint: "error",
  duplicate_reference: "error",
  duplicate_sheet_names: "error",
  endpoint_off_grid: "warning",
  extra_units: "error",
  global_label_dangling: "warning",
  hier_label_mismatch: "error",
  label_dangling: "error",
  label_multiple_wires: "warning",
  lib_symbol_issues: "warning",
  missing_sheet: "error",
  missing_unit: "warning",
  multiple_net_names: "warning",
  net_not_bus_member: "warning",
  no_connect_connected: "error",
  no_connect_dangling: "error",
  pin_not_connected: "error",
  pin_not_driven: "error",
  pin_to_pin: "error",
  power_pin_not_driven: "error",
  same_local_global_label: "warning",
  similar_labels: "warning",
  unannotated: "error",
  unconnected_wire_endpoint: "warning",
  unit_value_mismatch: "error",
  wire_dangling: "error",
} as const;

export type Rule = keyof typeof RULES;

export interface Finding {
  readonly rule: Rule;
  readonly severity: "error" | "warning";
  /** What is wrong, with the names of what it is about. */
  readonly message: string;
  readonly sheet: SheetInstance;
  /** Where to look on the sheet. */
  readonly at: Point;
  /** The items that it is about. */
  readonly items: readonly Item[];
}

export function finding(
  rule: Rule,
  message: string,
  place: { readonly sheet: SheetInstance; readonly at: Point; readonly items: readonly Item[] },
  severity: Finding["severity"] = RULES[rule],
): Finding {
  return { rule, severity, message, ...place };
}

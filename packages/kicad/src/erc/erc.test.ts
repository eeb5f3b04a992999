import assert from "node:assert/strict";
import { test } from "node:test";
import { type Dialect, readDesign } from "../schematic/index.ts";
import { Drawing } from "../testing/draw.ts";
import { PIN_TYPES } from "../testing/parts.ts";
import { checkDesign, MAX_FINDINGS, pinConflict, type Rule } from "./index.ts";

type Files = Readonly<Record<string, Drawing>>;

function check(files: Files) {
  const texts = new Map(Object.entries(files).map(([name, drawing]) => [`${name}.kicad_sch`, String(drawing)]));
  return checkDesign(readDesign("top.kicad_sch", (name) => texts.get(name)));
}

/** A supply, and a gate that drives a resistor: everything connected and supplied. */
const clean = (dialect: Dialect = 9, name?: string, paths?: readonly string[]) =>
  new Drawing(dialect, name, paths)
    .symbol("GATE", "U1", [50, 30])
    .symbol("R", "R1", [60, 33])
    .symbol("R", "R2", [40, 33])
    .wire([54, 30], [60, 30])
    .wire([46, 30], [40, 30])
    .power("VCC", [50, 26])
    .power("GND", [50, 34], [60, 36])
    .power("PWR_FLAG", [50, 26], [50, 34])
    .wire([40, 36], [40, 40], [30, 40])
    .label("IN", [30, 40])
    .symbol("R", "R3", [30, 43])
    .power("GND", [30, 46]);

const ROOT = "/00000001-0000-4000-8000-000000000001";
const sub = (dialect: Dialect = 9) =>
  new Drawing(dialect, "2", [`${ROOT}/x`])
    .symbol("R", "R10", [30, 30])
    .hierarchical("A", [30, 27])
    .power("GND", [30, 33]);
const withSheet = (drawing: Drawing, pins: readonly string[] = ["A"], label = "IN") =>
  drawing
    .sheet("Sub", "sub.kicad_sch", {
      at: [80, 60],
      size: [10, 10],
      pins: pins.map((name, at) => ({ name, at: [80, 62 + at] })),
    })
    .wire([76, 62], [80, 62])
    .label(label, [76, 62]);
const withBus = (drawing: Drawing, member = "D1") =>
  drawing
    .bus([100, 10], [100, 30])
    .label("D[0..3]", [100, 12])
    .entry([100, 14], [2, 2])
    .wire([102, 16], [106, 16])
    .label(member, [104, 16])
    .symbol("R", "R20", [106, 19])
    .label(member, [106, 22]);

const CLEAN: readonly [string, Files][] = [
  ...([6, 7, 8, 9] as const).map((dialect): [string, Files] => [`a gate in KiCad ${dialect}`, { top: clean(dialect) }]),
  ...([6, 7, 9] as const).map((dialect): [string, Files] => [
    `a sheet in KiCad ${dialect}`,
    { top: withSheet(clean(dialect)), sub: sub(dialect) },
  ]),
  ["a bus", { top: withBus(clean()) }],
  ["unused pins that are marked", { top: clean().symbol("R", "R4", [90, 33]).noConnect([90, 30], [90, 36]) }],
  [
    "all units of a part",
    {
      top: clean()
        .symbol("DUAL", "U5", [90, 20], { unit: 1 })
        .symbol("DUAL", "U5", [90, 40], { unit: 2 })
        .symbol("DUAL", "U5", [110, 30], { unit: 3 })
        .power("VCC", [110, 26])
        .power("GND", [110, 34])
        .wire([94, 20], [98, 20], [98, 30], [86, 30], [86, 40])
        .noConnect([94, 40])
        .label("IN", [86, 20]),
    },
  ],
];

for (const [name, files] of CLEAN) {
  test(`nothing is found in a clean design: ${name}`, () => {
    assert.deepEqual(
      check(files).map(({ rule, message }) => `${rule}: ${message}`),
      [],
    );
  });
}

const pair = (one: string, other: string) =>
  clean().symbol(one, "X1", [83, 50]).symbol(other, "X2", [83, 55]).wire([80, 50], [80, 55]);
const FAULTS: readonly [string, Rule, Files][] = [
  ["a pin without a wire", "pin_not_connected", { top: clean().symbol("R", "R4", [90, 33]).noConnect([90, 30]) }],
  [
    "a pin with a wire to nowhere",
    "pin_not_connected",
    { top: clean().symbol("R", "R4", [90, 33]).noConnect([90, 30]).wire([90, 36], [90, 40]) },
  ],
  ["a power symbol on nothing", "pin_not_connected", { top: clean().power("GND", [90, 90]) }],
  [
    "a turned part beside its wire",
    "pin_not_connected",
    { top: clean().symbol("R", "R4", [90, 33], { angle: 90 }).wire([90, 30], [60, 30]) },
  ],
  ["two outputs", "pin_to_pin", { top: pair("output", "output") }],
  ["an output and a supply", "pin_to_pin", { top: pair("output", "power_out") }],
  ["two supplies", "pin_to_pin", { top: pair("power_out", "power_out") }],
  ["an output and an open collector", "pin_to_pin", { top: pair("output", "open_collector") }],
  ["a supply and a tri-state output", "pin_to_pin", { top: pair("tri_state", "power_out") }],
  ["an unspecified pin", "pin_to_pin", { top: pair("unspecified", "passive") }],
  ["a pin that must not be connected", "pin_to_pin", { top: pair("no_connect", "passive") }],
  ["an input that nothing drives", "pin_not_driven", { top: pair("input", "input") }],
  ["an input on an open collector", "pin_not_driven", { top: pair("input", "open_collector") }],
  ["power that nothing supplies", "power_pin_not_driven", { top: pair("power_in", "passive") }],
  [
    "a supply symbol without a source",
    "power_pin_not_driven",
    { top: clean().symbol("R", "R4", [90, 33]).power("+5V", [90, 30]).power("GND", [90, 36]) },
  ],
  ["a mark on nothing", "no_connect_dangling", { top: clean().noConnect([90, 90]) }],
  ["a mark on a wire's end", "no_connect_connected", { top: clean().noConnect([54, 30]) }],
  ["a mark on a pin with a label", "no_connect_connected", { top: clean().noConnect([30, 40]) }],
  ["a label on nothing", "label_dangling", { top: clean().label("X", [90, 90]) }],
  ["a label on a lone wire", "label_dangling", { top: clean().wire([90, 90], [95, 90]).label("X", [90, 90]) }],
  ["a global label on nothing", "global_label_dangling", { top: clean().global("X", [90, 90]) }],
  [
    "a hierarchical label on nothing",
    "label_dangling",
    { top: withSheet(clean(), ["A", "B"]).wire([80, 63], [70, 63]), sub: sub().hierarchical("B", [90, 90]) },
  ],
  ["a wire on nothing", "wire_dangling", { top: clean().wire([90, 90], [95, 90]) }],
  ["a wire that ends in the air", "unconnected_wire_endpoint", { top: clean().wire([54, 30], [54, 20]) }],
  [
    "a wire that ends on another without a junction",
    "wire_dangling",
    { top: clean().wire([57, 30], [57, 25], [60, 25]) },
  ],
  [
    "a reference twice",
    "duplicate_reference",
    { top: clean().symbol("R", "R1", [90, 33]).noConnect([90, 30], [90, 36]) },
  ],
  [
    "a reference on two sheets",
    "duplicate_reference",
    { top: withSheet(clean().symbol("R", "R10", [90, 33])), sub: sub() },
  ],
  ["no number yet", "unannotated", { top: clean().symbol("R", "R?", [90, 33]).noConnect([90, 30], [90, 36]) }],
  [
    "two units with different values",
    "unit_value_mismatch",
    { top: clean().symbol("DUAL", "U5", [90, 20]).symbol("DUAL", "U5", [90, 40], { unit: 2, value: "X" }) },
  ],
  [
    "two units with different footprints",
    "different_unit_footprint",
    { top: clean().symbol("DUAL", "U5", [90, 20]).symbol("DUAL", "U5", [90, 40], { unit: 2, footprint: "X:Y" }) },
  ],
  ["a unit that is missing", "missing_unit", { top: clean().symbol("DUAL", "U5", [90, 20]) }],
  ["a unit too many", "extra_units", { top: clean().symbol("R", "R5", [90, 20], { unit: 4 }) }],
  [
    "a symbol without a definition",
    "lib_symbol_issues",
    {
      top: clean().raw(
        '(symbol (lib_id "Own:NONE") (at 0 0 0) (unit 1) (uuid q) (property "Reference" "Q1" (at 0 0 0)))',
      ),
    },
  ],
  ["a sheet pin without a label", "hier_label_mismatch", { top: withSheet(clean(), ["A", "B"]), sub: sub() }],
  [
    "a hierarchical label without a pin",
    "hier_label_mismatch",
    { top: withSheet(clean()), sub: sub().hierarchical("B", [30, 33]) },
  ],
  [
    "two sheets of one name",
    "duplicate_sheet_names",
    { top: withSheet(clean()).sheet("Sub", "sub.kicad_sch", { at: [10, 80], size: [5, 5] }), sub: sub() },
  ],
  ["a sheet whose file is missing", "missing_sheet", { top: withSheet(clean()) }],
  [
    "a sheet that contains itself",
    "missing_sheet",
    { top: clean().sheet("Me", "top.kicad_sch", { at: [10, 80], size: [5, 5] }) },
  ],
  ["two names for one net", "multiple_net_names", { top: clean().label("OTHER", [35, 40]) }],
  ["names that differ by case", "similar_labels", { top: clean().label("in", [57, 30]) }],
  ["a name that is local and global", "same_local_global_label", { top: clean().global("IN", [57, 30]) }],
  ["a bus name on a wire", "bus_to_net_conflict", { top: clean().label("D[0..3]", [57, 30]) }],
  ["a plain name on a bus", "bus_to_net_conflict", { top: withBus(clean()).label("X", [100, 20]) }],
  ["a wire that is not a member of its bus", "net_not_bus_member", { top: withBus(clean(), "E1") }],
  ["a wire on a bus without an entry", "bus_entry_needed", { top: withBus(clean()).wire([60, 30], [100, 30]) }],
  [
    "an alias with two meanings",
    "bus_definition_conflict",
    { top: withSheet(clean()).alias("USB", "DP", "DM"), sub: sub().alias("USB", "DP") },
  ],
  ["a label where wires cross", "label_multiple_wires", { top: clean().wire([57, 20], [57, 40]).label("X", [57, 30]) }],
  [
    "a pin beside the grid",
    "endpoint_off_grid",
    { top: clean().symbol("R", "R4", [90.3, 33]).noConnect([90.3, 30], [90.3, 36]) },
  ],
  ["a wire beside the grid", "endpoint_off_grid", { top: clean().wire([60, 30], [64.5, 30]) }],
];

for (const [name, rule, files] of FAULTS) {
  test(`${rule} is found: ${name}`, () => {
    const findings = check(files);
    const found = findings.find((finding) => finding.rule === rule);
    assert.ok(found, findings.map((finding) => finding.rule).join(" "));
    assert.ok(found.message.length > 10 && Number.isFinite(found.at.x));
  });
}

test("there are at least 40 seeded faults and 10 clean designs", () => {
  assert.ok(FAULTS.length >= 40 && CLEAN.length >= 10);
});

test("two pins conflict or not, whichever is named first", () => {
  for (const one of PIN_TYPES)
    for (const other of PIN_TYPES) assert.equal(pinConflict(one, other), pinConflict(other, one));
  assert.deepEqual(
    [pinConflict("output", "output"), pinConflict("output", "tri_state"), pinConflict("input", "output")],
    ["error", "warning", undefined],
  );
});

test("the number of findings is limited", () => {
  const drawing = new Drawing();
  for (let at = 0; at < 200; at++) drawing.label(`L${at}`, [at, 5]);
  assert.equal(check({ top: drawing }).length, 200);
  assert.equal(MAX_FINDINGS, 5000);
});

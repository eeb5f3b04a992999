import assert from "node:assert/strict";
import { test } from "node:test";
import { type Dialect, itemsOf, readDesign } from "../schematic/index.ts";
import { Drawing } from "../testing/draw.ts";
import { busMembers, isBusName, LineIndex, MAX_BUS_MEMBERS, readableNetName, readNets } from "./index.ts";

function netsOf(files: Readonly<Record<string, Drawing>>): string[] {
  const texts = new Map(Object.entries(files).map(([name, drawing]) => [name, String(drawing)]));
  const design = readDesign("top.kicad_sch", (name) => texts.get(name));
  assert.deepEqual(design.faults, []);
  return readNets(design)
    .nets.map(({ name, pins }) => ({
      name,
      pins: pins
        .filter(({ reference }) => !reference.startsWith("#"))
        .map((pin) => `${pin.reference}.${pin.pin.number}`),
    }))
    .filter(({ pins }) => pins.length > 1)
    .map(({ name, pins }) => `${name}: ${pins.sort().join(" ")}`);
}

for (const dialect of [6, 7, 8, 9] as const satisfies readonly Dialect[]) {
  test(`wires, junctions, labels and power connect in files of KiCad ${dialect}`, () => {
    const top = new Drawing(dialect)
      .symbol("R", "R1", [10, 10])
      .symbol("R", "R2", [20, 10])
      .symbol("R", "R3", [30, 10])
      .symbol("R", "R4", [40, 10])
      .wire([10, 7], [30, 7])
      .wire([20, 7], [20, 5])
      .junction([20, 7])
      .label("TOP", [12, 7])
      .power("GND", [10, 13], [20, 13])
      .wire([30, 13], [34, 13])
      .global("TOP", [34, 13])
      .label("TOP", [40, 13]);
    assert.deepEqual(netsOf({ "top.kicad_sch": top }), ["/TOP: R1.1 R2.1 R3.1 R4.2", "GND: R1.2 R2.2"]);
  });
}

test("a crossing without a junction and a pin in the middle of a wire do not connect", () => {
  const top = new Drawing()
    .symbol("R", "R1", [10, 10])
    .symbol("R", "R2", [20, 10])
    .symbol("R", "R3", [15, 4], { angle: 90 })
    .wire([10, 7], [20, 7])
    .wire([15, 2], [15, 12])
    .symbol("R", "R4", [12, 10]);
  assert.deepEqual(netsOf({ "top.kicad_sch": top }), ["Net-(R1-Pad1): R1.1 R2.1"]);
});

test("pins at one place connect; the same label on another sheet does not, a global one does", () => {
  const sub = new Drawing(9, "2", ["/00000001-0000-4000-8000-000000000001/x"])
    .symbol("R", "R5", [10, 10])
    .label("A", [10, 7])
    .global("G", [10, 13]);
  const top = new Drawing()
    .symbol("R", "R1", [10, 10])
    .symbol("R", "R2", [10, 16])
    .label("A", [10, 7])
    .global("G", [10, 19])
    .sheet("Sub", "sub.kicad_sch", { at: [40, 10], size: [10, 10] });
  assert.deepEqual(netsOf({ "top.kicad_sch": top, "sub.kicad_sch": sub }), [
    "G: R2.2 R5.2",
    "Net-(R1-Pad2): R1.2 R2.1",
  ]);
});

test("hierarchical labels connect with the pins of their sheet, per use of the sheet", () => {
  const sub = new Drawing(9, "2").symbol("R", "R5", [10, 10]).hierarchical("IN", [10, 7]);
  const top = new Drawing()
    .symbol("R", "R1", [30, 10])
    .symbol("R", "R2", [30, 30])
    .sheet("One", "sub.kicad_sch", { at: [40, 5], size: [10, 5], pins: [{ name: "IN", at: [40, 7] }] })
    .sheet("Two", "sub.kicad_sch", { at: [40, 25], size: [10, 5], pins: [{ name: "IN", at: [40, 27] }] })
    .wire([30, 7], [40, 7])
    .wire([30, 27], [40, 27])
    .label("first", [35, 7]);
  assert.deepEqual(netsOf({ "top.kicad_sch": top, "sub.kicad_sch": sub }), ["/Two/IN: R2.1 R5.1", "/first: R1.1 R5.1"]);
});

test("members of a bus connect over its sheets: vectors by number, groups by name", () => {
  const sub = new Drawing(9, "2")
    .alias("USB", "DP", "DM")
    .symbol("R", "R11", [10, 10])
    .symbol("R", "R12", [20, 10])
    .symbol("R", "R13", [30, 10])
    .label("Q1", [10, 7])
    .label("Q2", [20, 7])
    .label("P.DM", [30, 7])
    .bus([5, 20], [15, 20])
    .hierarchical("Q[0..3]", [5, 20])
    .bus([5, 25], [15, 25])
    .hierarchical("P{USB}", [5, 25]);
  const top = new Drawing()
    .symbol("R", "R1", [10, 10])
    .symbol("R", "R2", [20, 10])
    .symbol("R", "R3", [30, 10])
    .label("D1", [10, 7])
    .label("D2", [20, 7])
    .label("DM", [30, 7])
    .bus([20, 20], [40, 20])
    .label("D[3..0]", [22, 20])
    .bus([20, 24], [40, 24])
    .label("{USB}", [22, 24])
    .sheet("Sub", "sub.kicad_sch", {
      at: [40, 15],
      size: [10, 15],
      pins: [
        { name: "Q[0..3]", at: [40, 20] },
        { name: "P{USB}", at: [40, 24] },
      ],
    });
  assert.deepEqual(netsOf({ "top.kicad_sch": top, "sub.kicad_sch": sub }), [
    "/D1: R1.1 R11.1",
    "/D2: R12.1 R2.1",
    "/DM: R13.1 R3.1",
  ]);
});

test("the net at a place is found, with its wires and its classes", () => {
  const top = String(
    new Drawing()
      .symbol("R", "R1", [10, 10])
      .wire([10, 7], [20, 7])
      .label("A/B", [20, 7])
      .raw('(netclass_flag "" (length 2.54) (shape round) (at 12.7 8.89 0) (property "Netclass" "Fast" (at 0 0 0)))'),
  );
  const design = readDesign("top.kicad_sch", () => top);
  const nets = readNets(design);
  const [sheet] = design.sheets;
  assert.ok(sheet);
  const net = nets.at(sheet, { x: 12.7, y: 8.89 });
  assert.deepEqual([net?.name, net?.wires.length, net?.classes], ["/A{slash}B", 1, ["Fast"]]);
  assert.equal(readableNetName(net?.name ?? ""), "/A/B");
  assert.equal(nets.at(sheet, { x: 1, y: 1 }), undefined);
});

test("names of buses and their members", () => {
  const aliases = new Map([["USB", ["DP", "DM", "USB"]]]);
  const names = (text: string) => busMembers(text, aliases).map(({ name }) => name);
  assert.deepEqual(names("D[2..0]"), ["D0", "D1", "D2"]);
  assert.deepEqual(names("{A B[0..1] C}"), ["A", "B0", "B1", "C"]);
  assert.deepEqual(names("X{A Y{Z}}"), ["X.A", "X.Z"]);
  assert.deepEqual(names("plain"), []);
  assert.ok(names("{USB}").length <= 20, "an alias that contains itself ends");
  assert.equal(names("D[0..999999999]").length, MAX_BUS_MEMBERS);
  assert.deepEqual(
    ["~{RESET}", "A{slash}", "D[0]", "[0..1]", "a b[0..1]", "D[0..1]x"].map(isBusName),
    Array(6).fill(false),
  );
});

test("lines through a point are found by rows, columns and slants", () => {
  const sheet = readDesign("top.kicad_sch", () => String(new Drawing().wire([0, 0], [10, 0], [10, 10], [0, 0])))
    .sheets[0];
  assert.ok(sheet);
  const index = new LineIndex(itemsOf(sheet.schematic, "wire"));
  const through = (x: number, y: number) => index.through({ x: x * 1.27, y: y * 1.27 }).length;
  assert.deepEqual([through(5, 0), through(10, 5), through(5, 5), through(0, 0), through(5, 1)], [1, 1, 1, 2, 0]);
});

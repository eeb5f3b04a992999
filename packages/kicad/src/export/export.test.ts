import assert from "node:assert/strict";
import { test } from "node:test";
import { readDesign } from "../schematic/index.ts";
import { child, children, readTree, textOf } from "../sexpr/index.ts";
import { Drawing } from "../testing/draw.ts";
import { componentsOf, readBom, writeBom, writeNetlist } from "./index.ts";

const text = String(
  new Drawing(8)
    .symbol("R", "R10", [10, 10], { value: "1k" })
    .symbol("R", "R2", [20, 10], { value: "1k" })
    .symbol("R", "R3", [30, 10], { value: '=1+1, "x"' })
    .symbol("R", "R4", [40, 10], { inBom: false, onBoard: false })
    .symbol("DUAL", "U1", [60, 10], { footprint: "Own:SO8" })
    .symbol("DUAL", "U1", [60, 20], { unit: 2, footprint: "Own:SO8" })
    .wire([10, 7], [30, 7])
    .power("GND", [10, 13], [20, 13], [40, 7]),
);
const design = readDesign("x.kicad_sch", () => text);

test("a part is listed once, R2 before R10, without power symbols", () => {
  assert.deepEqual(
    componentsOf(design).map(({ reference }) => reference),
    ["R2", "R3", "R4", "R10", "U1"],
  );
});

test("a netlist has the parts on the board and what connects them", () => {
  const root = readTree(writeNetlist(design));
  const refs = children(child(root, "components"), "comp").map((part) => textOf(part, "ref"));
  assert.deepEqual(refs, ["R2", "R3", "R10", "U1"]);
  const nets = children(child(root, "nets"), "net").map(
    (net) =>
      `${textOf(net, "name")}: ${children(net, "node")
        .map((node) => `${textOf(node, "ref")}.${textOf(node, "pin")}`)
        .join(" ")}`,
  );
  assert.ok(nets.includes("GND: R2.2 R10.2"), nets.join("\n"));
  assert.ok(nets.includes("Net-(R10-Pad1): R3.1 R10.1"), nets.join("\n"));
  assert.ok(nets.includes("unconnected-(U1-A-Pad3): U1.3"), nets.join("\n"));
});

test("a bill of materials puts equal parts on one line, and gives a spreadsheet no formulas", () => {
  assert.deepEqual(
    readBom(design).map(({ references }) => references.join(" ")),
    ["R2 R10", "R3", "U1"],
  );
  assert.equal(
    writeBom(design, ["Datasheet"]),
    'Reference,Value,Footprint,Quantity,Do not populate,Datasheet\r\nR2 R10,1k,,2,,\r\nR3," =1+1, ""x""",,1,,\r\nU1,DUAL,Own:SO8,1,,\r\n',
  );
});

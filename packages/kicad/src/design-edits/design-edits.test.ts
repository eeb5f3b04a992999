import assert from "node:assert/strict";
import { test } from "node:test";
import { copyItems, drawBus, EditFault, type FileSplices, setFieldIn } from "../edits/index.ts";
import { componentsOf } from "../export/index.ts";
import { readNets } from "../nets/index.ts";
import {
  type Design,
  type Dialect,
  itemsOf,
  readDesign,
  readSchematic,
  referenceOf,
  type SheetInstance,
} from "../schematic/index.ts";
import { applySplices } from "../sexpr/index.ts";
import { Drawing } from "../testing/draw.ts";
import { createUuids } from "../testing/random.ts";
import {
  addSheetPin,
  createSheet,
  edgeOf,
  findText,
  labelsWithoutPin,
  pasteInto,
  placeSymbolIn,
  removeSheetPin,
  replaceText,
} from "./index.ts";

const DIALECTS = [6, 7, 8, 9] as const satisfies readonly Dialect[];
const ROOT = "a.kicad_sch";

type Files = Map<string, string>;

const open = (files: Files): Design => readDesign(ROOT, (name) => files.get(name));

function change(files: Files, changes: FileSplices): Design {
  for (const [file, splices] of changes) files.set(file, applySplices(files.get(file) ?? "", splices));
  return open(files);
}

const sheetAt = (design: Design, at: number): SheetInstance => design.sheets[at] ?? assert.fail(`no sheet ${at}`);
const box = (name: string, file: string) => ({ name, file, at: { x: 50.8, y: 50.8 }, size: { x: 25.4, y: 12.7 } });
const references = (design: Design) =>
  design.sheets.flatMap((sheet) =>
    itemsOf(sheet.schematic, "symbol").map((symbol) => `${sheet.name}${referenceOf(symbol, sheet)}`),
  );

for (const dialect of DIALECTS) {
  test(`a sheet with a file of its own is drawn, wired and used twice in KiCad ${dialect}`, () => {
    const files: Files = new Map([
      [ROOT, String(new Drawing(dialect).symbol("R", "R1", [10, 10]).wire([10, 13], [20, 40], [40, 40]))],
    ]);
    const newUuid = createUuids();
    const how = { newUuid, exists: (file: string) => files.has(file) };
    let design = open(files);
    const made = createSheet(design, sheetAt(design, 0), box("Power", "parts/power.kicad_sch"), how);
    assert.equal(made.file, "parts/power.kicad_sch");
    files.set(made.file, made.text ?? assert.fail());
    design = change(files, made.changes);
    assert.deepEqual(
      design.sheets.map(({ name, page, file }) => [name, page, file]),
      [
        ["/", "1", ROOT],
        ["/Power/", "2", "parts/power.kicad_sch"],
      ],
    );
    assert.deepEqual(design.faults, []);
    const again = createSheet(design, sheetAt(design, 0), box("Spare", "parts/power.kicad_sch"), how);
    assert.equal(again.text, undefined);
    design = change(files, again.changes);
    assert.deepEqual(
      design.sheets.map(({ name, page }) => `${name} ${page}`),
      ["/ 1", "/Power/ 2", "/Spare/ 3"],
    );

    const symbol = sheetAt(design, 0).schematic.definitions.get("Own:R") ?? assert.fail();
    design = change(
      files,
      placeSymbolIn(
        design,
        sheetAt(design, 1),
        symbol,
        { libId: "Own:R", at: { x: 25.4, y: 25.4 }, reference: "R?" },
        newUuid,
      ),
    );
    assert.deepEqual(references(design), ["/R1", "/Power/R?", "/Spare/R?"]);
    assert.equal(sheetAt(design, 0).schematic.rootInstances.size, dialect === 6 ? 3 : 0);
    const copied = copyItems(sheetAt(design, 0).schematic, itemsOf(sheetAt(design, 0).schematic, "symbol"));
    design = change(files, pasteInto(design, sheetAt(design, 2), copied, { x: 2.54, y: 0 }, newUuid));
    assert.deepEqual(references(design), ["/R1", "/Power/R?", "/Power/R?", "/Spare/R?", "/Spare/R?"]);
    assert.equal(sheetAt(design, 0).schematic.rootInstances.size, dialect === 6 ? 5 : 0);
  });

  test(`pins of a sheet connect it with its labels in KiCad ${dialect}`, () => {
    const inside = String(
      new Drawing(dialect, "2").symbol("R", "R2", [10, 10]).hierarchical("IN", [10, 7]).hierarchical("OUT", [10, 13]),
    );
    const files: Files = new Map([
      [
        ROOT,
        String(
          new Drawing(dialect)
            .symbol("R", "R1", [20, 50])
            .sheet("Sub", "b.kicad_sch", { at: [30, 40], size: [20, 20] })
            .wire([20, 47], [30, 47]),
        ),
      ],
      ["b.kicad_sch", inside],
    ]);
    const newUuid = createUuids();
    let design = open(files);
    const root = () => sheetAt(design, 0).schematic;
    const sheet = () => itemsOf(root(), "sheet")[0] ?? assert.fail();
    const missing = labelsWithoutPin(sheet(), sheetAt(design, 1).schematic);
    assert.deepEqual(missing, [
      { name: "IN", shape: "input" },
      { name: "OUT", shape: "input" },
    ]);
    for (const [at, pin] of missing.entries()) {
      const place = { x: at === 0 ? 0 : 200, y: 47 * 1.27 };
      design = change(files, new Map([[ROOT, addSheetPin(root(), sheet(), { ...pin, at: place }, newUuid)]]));
    }
    assert.deepEqual(
      sheet().pins.map(({ name, at }) => [name, at.x]),
      [
        ["IN", 38.1],
        ["OUT", 63.5],
      ],
    );
    const net = readNets(design).nets.find(({ pins }) => pins.length === 2);
    assert.deepEqual(net?.pins.map(({ reference, pin }) => `${reference}.${pin.number}`).sort(), ["R1.1", "R2.1"]);
    assert.throws(
      () => addSheetPin(root(), sheet(), { name: "IN", at: { x: 0, y: 0 } }, newUuid),
      /has a pin IN already/,
    );
    design = change(files, new Map([[ROOT, removeSheetPin(root(), sheet(), "OUT")]]));
    assert.deepEqual(labelsWithoutPin(sheet(), sheetAt(design, 1).schematic), [{ name: "OUT", shape: "input" }]);
  });
}

test("a value is set where KiCad 6 reads it: in the root file, for every use of the sheet", () => {
  const files: Files = new Map([
    [
      ROOT,
      String(
        new Drawing(6)
          .sheet("One", "b.kicad_sch", { at: [30, 40], size: [20, 20] })
          .sheet("Two", "b.kicad_sch", { at: [60, 40], size: [20, 20] }),
      ),
    ],
    ["b.kicad_sch", String(new Drawing(6, "2"))],
  ]);
  let design = open(files);
  const symbol = readSchematic(String(new Drawing(6).symbol("R", "R1", [0, 0]))).definitions.get("Own:R");
  const placement = { libId: "Own:R", at: { x: 25.4, y: 25.4 }, reference: "R?", value: "10k" };
  design = change(files, placeSymbolIn(design, sheetAt(design, 1), symbol ?? assert.fail(), placement, createUuids()));
  const values = () => [...sheetAt(design, 0).schematic.rootInstances.values()].map(({ value }) => value);
  assert.deepEqual(values(), ["10k", "10k"]);
  const [placed] = itemsOf(sheetAt(design, 1).schematic, "symbol");
  design = change(files, setFieldIn(design, sheetAt(design, 1), placed ?? assert.fail(), "Value", "4k7"));
  assert.deepEqual(values(), ["4k7", "4k7"]);
  assert.deepEqual(
    componentsOf(change(files, replaceText(design, { text: "4k7" }, "1M").changes)).map(({ value }) => value),
    ["1M"],
  );
});

test("a sheet that could not be opened again is not drawn", () => {
  const files: Files = new Map([
    [ROOT, String(new Drawing().sheet("Sub", "b.kicad_sch", { at: [0, 0], size: [9, 9] }))],
    ["b.kicad_sch", String(new Drawing(9, "2"))],
  ]);
  const design = open(files);
  const how = { newUuid: createUuids(), exists: () => false };
  const draw = (name: string, file: string, at = 0) => createSheet(design, sheetAt(design, at), box(name, file), how);
  for (const [name, file, at, reason] of [
    ["", "c.kicad_sch", 0, /needs a name/],
    ["a/b", "c.kicad_sch", 0, /slash/],
    ["Sub", "c.kicad_sch", 0, /a sheet Sub here already/],
    ["Up", "../c.kicad_sch", 0, /inside the project/],
    ["Up", "/etc/c.kicad_sch", 0, /inside the project/],
    ["Up", "c.txt", 0, /ends with .kicad_sch/],
    ["Me", ROOT, 0, /would contain itself/],
    ["Me", ROOT, 1, /would contain itself/],
    ["Me", "./b.kicad_sch", 1, /would contain itself/],
  ] as const) {
    assert.throws(
      () => draw(name, file, at),
      (error) => error instanceof EditFault && reason.test(error.message),
      file,
    );
  }
  const flat = { ...box("Flat", "c.kicad_sch"), size: { x: 1, y: 9 } };
  assert.throws(() => createSheet(design, sheetAt(design, 0), flat, how), /at least 2.54 mm/);
});

test("a place on the edge of a sheet is the nearest one, with its side", () => {
  const sheet = { at: { x: 10, y: 20 }, size: { x: 30, y: 10 } };
  assert.deepEqual(edgeOf(sheet, { x: 12, y: 26 }), { at: { x: 10, y: 26 }, angle: 180 });
  assert.deepEqual(edgeOf(sheet, { x: 99, y: 99 }), { at: { x: 40, y: 30 }, angle: 0 });
  assert.deepEqual(edgeOf(sheet, { x: 25, y: 21 }), { at: { x: 25, y: 20 }, angle: 90 });
  assert.deepEqual(edgeOf(sheet, { x: 25, y: 40 }), { at: { x: 25, y: 30 }, angle: 270 });
});

for (const dialect of [6, 9] as const) {
  test(`texts are found and replaced on all sheets, in KiCad ${dialect}`, () => {
    const files: Files = new Map([
      [
        ROOT,
        String(
          new Drawing(dialect)
            .symbol("R", "R1", [10, 10], { value: "clk $1" })
            .label("CLK", [10, 7])
            .text("the CLK of CLK_IN (a.b)", [0, 0])
            .sheet("clk tree", "b.kicad_sch", { at: [30, 40], size: [20, 20], pins: [{ name: "CLK", at: [30, 45] }] })
            .sheet("second", "b.kicad_sch", { at: [60, 40], size: [20, 20] }),
        ),
      ],
      ["b.kicad_sch", String(new Drawing(dialect, "2").hierarchical("CLK", [10, 7]).symbol("R", "CLK1", [20, 7]))],
    ]);
    const design = open(files);
    assert.deepEqual(
      findText(design, { text: "clk" }).map(({ kind, name, sheet }) => `${sheet.name} ${kind} ${name}`.trim()),
      [
        "/ field Value",
        "/ label",
        "/ text",
        `/ field Sheet${dialect === 6 ? " name" : "name"}`,
        "/ sheet pin",
        "/clk tree/ label",
        "/clk tree/ reference",
        "/second/ reference",
      ],
    );
    assert.equal(findText(design, { text: "CLK", matchCase: true, wholeWord: true }).length, 4);
    assert.equal(findText(design, { text: "(A.B)" }).length, 1);
    assert.equal(findText(design, { text: "a.b", kinds: ["label"] }).length, 0);
    const { changes, count } = replaceText(design, { text: "CLK", matchCase: true, wholeWord: true }, "$&CK");
    assert.equal(count, 4);
    const after = change(files, changes);
    assert.deepEqual(
      findText(after, { text: "$&ck" }).map(({ text }) => text),
      ["$&CK", "the $&CK of CLK_IN (a.b)", "$&CK", "$&CK"],
    );
    assert.throws(() => replaceText(after, { text: "$&CK" }, ""), /without a text/);
    assert.throws(() => findText(after, { text: "" }), /nothing to look for/);
    assert.equal(replaceText(after, { text: "kicad_sch" }, "x").count, 0);
  });
}

test("a bus that ends on another gets a junction, as wires do", () => {
  const text = String(new Drawing().bus([0, 10], [20, 10]).wire([10, 0], [10, 30]));
  const points = [
    { x: 7.62, y: 0 },
    { x: 7.62, y: 12.7 },
  ];
  const after = readSchematic(applySplices(text, drawBus(readSchematic(text), points, createUuids())));
  assert.deepEqual(
    itemsOf(after, "junction").map(({ at }) => at),
    [{ x: 7.62, y: 12.7 }],
  );
});

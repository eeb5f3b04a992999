import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Dialect,
  itemsOf,
  type PlacedSymbol,
  readDesign,
  readSchematic,
  readSymbolLibrary,
  referenceOf,
} from "../schematic/index.ts";
import { applySplices, type Splice } from "../sexpr/index.ts";
import { Drawing } from "../testing/draw.ts";
import { createRandom, createUuids } from "../testing/random.ts";
import { moveAndCompare, partition, randomEdit } from "../testing/random-edits.ts";
import {
  addSheet,
  annotate,
  copyItems,
  drawWire,
  EditFault,
  EditHistory,
  moveItems,
  pasteItems,
  placeSymbol,
  removeItems,
  setField,
  setReference,
  turnItems,
} from "./index.ts";

const DIALECTS = [6, 7, 8, 9] as const satisfies readonly Dialect[];

const circuit = (dialect: Dialect) =>
  String(
    new Drawing(dialect)
      .symbol("R", "R1", [20, 20])
      .symbol("R", "R2", [30, 20], { angle: 90 })
      .symbol("GATE", "U1", [50, 30], { mirror: "y" })
      .symbol("REG", "U2", [80, 30])
      .wire([20, 17], [33, 17], [33, 20])
      .wire([20, 23], [20, 40], [54, 40], [54, 30])
      .wire([27, 20], [27, 40])
      .junction([27, 40])
      .label("MID", [40, 40])
      .global("OUT", [46, 30], "output")
      .power("GND", [50, 34], [80, 34])
      .power("VCC", [50, 26])
      .bus([60, 10], [60, 20])
      .label("D[0..3]", [60, 12])
      .entry([60, 14], [2, 2])
      .wire([62, 16], [66, 16])
      .label("D1", [64, 16])
      .noConnect([84, 30])
      .text("remark", [10, 10]),
  );

const first = (text: string, reference: string): PlacedSymbol => {
  const found = itemsOf(readSchematic(text), "symbol").find(({ fields }) => fields[0]?.text === reference);
  return found ?? assert.fail(reference);
};

for (const dialect of DIALECTS) {
  test(`random edits of a file of KiCad ${dialect} stay readable, and undo gives every byte back`, () => {
    const text = circuit(dialect);
    const history = new EditHistory(text);
    const [random, newUuid] = [createRandom(dialect), createUuids()];
    let steps = 0;
    while (steps < 60) {
      const splices = randomEdit(readSchematic(history.text), random, newUuid);
      if (splices.length === 0) continue;
      history.apply(splices);
      steps++;
    }
    const last = history.text;
    readSchematic(last);
    while (history.canUndo) history.undo();
    assert.equal(history.text, text);
    while (history.canRedo) history.redo();
    assert.equal(history.text, last);
  });

  test(`nets are the same after a move with wires in a file of KiCad ${dialect}`, () => {
    const text = circuit(dialect);
    const apply = (splices: Splice[]) => applySplices(text, splices);
    assert.ok(moveAndCompare(text, 60, createRandom(100 + dialect), createUuids(), apply) > 15);
  });
}

test("a label that moves out of a comb of other labels connects none of them", () => {
  const drawing = new Drawing(6);
  for (let row = 0; row < 24; row++) {
    const y = 10 + row * 2;
    drawing.wire([20, y], [40, y]).label(`A${row}`, [28, y]);
    for (const x of [18, 22, 24, 26, 30, 32, 34, 38]) drawing.label(`B${x}_${row}`, [x, y]);
  }
  const text = String(drawing);
  const sheet = readSchematic(text);
  const label = sheet.items.find((item) => item.kind === "label" && item.text === "A6") ?? assert.fail();
  for (const delta of [
    { x: -6.35, y: 24.13 },
    { x: 3.81, y: -13.97 },
    { x: 0, y: 16.51 },
  ]) {
    const after = applySplices(text, moveItems(sheet, [label], delta, { wires: "follow", newUuid: createUuids() }));
    assert.equal(partition(readSchematic(after)), partition(sheet), JSON.stringify(delta));
  }
});

test("a wire that slides does not pass where a label gets its junction on a wire that moves", () => {
  const text = String(
    new Drawing(7)
      .symbol("R", "R1", [10, 23])
      .wire([10, 20], [22, 20])
      .label("A", [12, 20])
      .wire([10, 26], [13, 26], [13, 27])
      .label("B", [13, 27]),
  );
  const sheet = readSchematic(text);
  const [one, two] = itemsOf(sheet, "wire");
  const items = [one ?? assert.fail(), two ?? assert.fail()];
  const after = applySplices(
    text,
    moveItems(sheet, items, { x: 1.27, y: 12.7 }, { wires: "follow", newUuid: createUuids() }),
  );
  assert.equal(partition(readSchematic(after)), partition(sheet));
});

test("a move changes the lines of what moved, and no others", () => {
  const text = circuit(9);
  const sheet = readSchematic(text);
  const after = applySplices(
    text,
    moveItems(sheet, [first(text, "R1")], { x: 1.27, y: 0 }, { wires: "stay", newUuid: createUuids() }),
  );
  const changed = after.split("\n").filter((line, at) => line !== text.split("\n")[at]);
  assert.equal(changed.length, 5);
});

test("four turns to the left, or two flips, are nothing; a turn is the opposite of the other", () => {
  const text = circuit(7);
  const around = { x: 50.8, y: 38.1 };
  const turned = (from: string, ...turns: readonly ("left" | "right" | "x" | "y")[]) =>
    turns.reduce(
      (now, turn) => applySplices(now, turnItems(readSchematic(now), readSchematic(now).items, around, turn)),
      from,
    );
  const shape = (now: string) =>
    JSON.stringify(
      readSchematic(now).items.map((item) => [
        item.kind,
        "at" in item && item.kind !== "sheet" ? item.at : undefined,
        item.kind === "symbol" ? item.pins.map(({ at }) => at) : undefined,
      ]),
    );
  assert.equal(shape(turned(text, "left", "left", "left", "left")), shape(text));
  assert.equal(shape(turned(text, "left", "right")), shape(text));
  assert.equal(shape(turned(text, "x", "x")), shape(text));
  assert.equal(shape(turned(text, "x", "y")), shape(turned(text, "left", "left")));
  for (const turn of ["left", "x", "y"] as const) {
    assert.equal(partition(readSchematic(turned(text, turn))), partition(readSchematic(text)), turn);
  }
});

test("a wire that ends on another gets a junction, one that crosses does not", () => {
  const text = String(new Drawing().wire([0, 10], [20, 10]));
  const sheet = readSchematic(text);
  const junctions = (y: number) => {
    const points = [
      { x: 12.7, y: 0 },
      { x: 12.7, y },
    ];
    return itemsOf(readSchematic(applySplices(text, drawWire(sheet, points, createUuids()))), "junction").length;
  };
  assert.deepEqual([junctions(12.7), junctions(25.4)], [1, 0]);
  assert.throws(
    () =>
      drawWire(
        sheet,
        [
          { x: 1, y: 1 },
          { x: 1, y: 1 },
        ],
        createUuids(),
      ),
    EditFault,
  );
});

const LIBRARY = `(kicad_symbol_lib (version 20241209) (generator "x") (generator_version "9.0")
  (symbol "OP" (pin_numbers (hide yes)) (pin_names (offset 0.1) (hide yes)) (exclude_from_sim no) (in_bom yes) (on_board yes)
    (property "Reference" "U" (at 0 5 0) (effects (font (size 1.27 1.27)) (justify left)))
    (property "Value" "OP" (at 0 -5 0) (effects (font (size 1.27 1.27) (bold yes))))
    (property "ki_keywords" "amplifier" (at 0 0 0) (effects (font (size 1.27 1.27)) (hide yes)))
    (symbol "OP_1_1" (pin input line (at -5.08 0 0) (length 2.54) (hide yes) (name "A" (effects (font (size 1.27 1.27)))) (number "1" (effects (font (size 1.27 1.27))))))
    (embedded_fonts no))
  (symbol "OP2" (extends "OP") (property "Reference" "U" (at 0 5 0)) (property "Value" "OP2" (at 0 -5 0))))`;

for (const dialect of DIALECTS) {
  test(`a symbol of a KiCad 9 library is placed in the words of KiCad ${dialect}`, () => {
    const text = String(new Drawing(dialect));
    const sheet = readSchematic(text);
    const newUuid = createUuids();
    const symbol = readSymbolLibrary(LIBRARY).get("OP2") ?? assert.fail();
    const uses = [{ project: "test", path: `/${sheet.uuid}` }];
    const placement = { libId: "Amps:OP2", at: { x: 50.8, y: 50.8 }, angle: 90, reference: "U3", uses };
    const once = applySplices(text, placeSymbol(sheet, symbol, placement, newUuid));
    const again = { ...placement, reference: "U4", mirror: "x" as const };
    const after = applySplices(once, placeSymbol(readSchematic(once), symbol, again, newUuid));
    const design = readDesign("x.kicad_sch", () => after);
    const [root] = design.sheets;
    assert.ok(root);
    const placed = itemsOf(root.schematic, "symbol");
    assert.deepEqual(
      placed.map((one) => `${referenceOf(one, root)} ${one.fields[1]?.text} ${one.pins.length}`),
      ["U3 OP2 1", "U4 OP2 1"],
    );
    assert.equal(root.schematic.definitions.size, 1);
    assert.deepEqual(placed[0]?.pins[0]?.at, { x: 50.8, y: 55.88 });
    assert.equal(placed[0]?.pins[0]?.hidden, true);
    assert.equal(after.includes("(hide yes)"), dialect >= 8);
    assert.equal(after.includes("exclude_from_sim"), dialect >= 8);
    assert.equal(after.includes("(id 0)"), dialect === 6);
    assert.equal(after.includes("(instances"), dialect >= 7);
    assert.ok(after.includes('"OP2_1_1"'));
  });
}

test("fields are set where they are, and added beside the others", () => {
  const text = circuit(8);
  const after = applySplices(text, [
    ...setField(readSchematic(text), first(text, "R1"), "Value", '4k7 "1%"'),
    ...setField(readSchematic(text), first(text, "R1"), "Maker", "Someone"),
  ]);
  assert.deepEqual(
    first(after, "R1").fields.map((field) => `${field.name}=${field.text}${field.effects.hidden ? " hidden" : ""}`),
    ["Reference=R1", 'Value=4k7 "1%"', "Footprint= hidden", "Datasheet= hidden", "Maker=Someone hidden"],
  );
});

for (const dialect of [6, 9] as const) {
  test(`annotation numbers what has none, per use of a sheet, in KiCad ${dialect}`, () => {
    const text = String(
      new Drawing(dialect)
        .symbol("R", "R?", [30, 10])
        .symbol("R", "R?", [10, 10])
        .symbol("R", "R1", [20, 10])
        .symbol("GATE", "U?", [40, 10])
        .symbol("GND", "#PWR01", [50, 10])
        .symbol("GND", "#PWR?", [60, 10]),
    );
    const references = (now: string) => {
      const design = readDesign("x.kicad_sch", () => now);
      return design.sheets.flatMap((sheet) =>
        itemsOf(sheet.schematic, "symbol").map((symbol) => referenceOf(symbol, sheet)),
      );
    };
    const design = readDesign("x.kicad_sch", () => text);
    const after = applySplices(text, annotate(design).get("x.kicad_sch") ?? []);
    assert.deepEqual(references(after), ["R3", "R2", "R1", "U1", "#PWR01", "#PWR02"]);
    const [sheet] = readDesign("x.kicad_sch", () => after).sheets;
    assert.ok(sheet);
    const again = setReference(design, sheet, itemsOf(sheet.schematic, "symbol")[0] ?? assert.fail(), "R77");
    assert.ok([...(again.get("x.kicad_sch") ?? [])].every(({ text: now }) => now === '"R77"'));
  });
}

test("copies have their definitions, uuids of their own and open references", () => {
  const text = circuit(7);
  const copied = copyItems(readSchematic(text), [
    first(text, "U1"),
    ...itemsOf(readSchematic(text), "wire").slice(0, 1),
  ]);
  const empty = String(new Drawing(9));
  const target = readSchematic(empty);
  const uses = [{ project: "test", path: `/${target.uuid}` }];
  const after = readSchematic(
    applySplices(empty, pasteItems(target, copied, { x: 2.54, y: 0 }, { newUuid: createUuids(), uses })),
  );
  const [symbol] = itemsOf(after, "symbol");
  assert.deepEqual([symbol?.fields[0]?.text, symbol?.instances[0]?.reference, symbol?.pins.length], ["U?", "U?", 4]);
  assert.equal(symbol?.at.x, 50 * 1.27 + 2.54);
  assert.notEqual(symbol?.uuid, first(text, "U1").uuid);
  assert.throws(
    () => pasteItems(readSchematic(String(new Drawing(6))), copied, { x: 0, y: 0 }, { newUuid: createUuids(), uses }),
    /newer KiCad/,
  );
});

test("a sheet is added with its pins, and removed without a trace", () => {
  const text = circuit(9);
  const sheet = {
    name: "Sub",
    file: "sub.kicad_sch",
    at: { x: 0, y: 0 },
    size: { x: 10, y: 10 },
    pages: [],
    pins: [{ name: "A", at: { x: 0, y: 5 }, angle: 180 }],
  };
  const after = applySplices(text, addSheet(readSchematic(text), sheet, createUuids()));
  const added = itemsOf(readSchematic(after), "sheet");
  assert.deepEqual(
    added.map(({ name, file, pins }) => [name, file, pins[0]?.name]),
    [["Sub", "sub.kicad_sch", "A"]],
  );
  assert.equal(applySplices(after, removeItems(readSchematic(after), added)), text);
});

test("files of a later KiCad are not changed", () => {
  const text = circuit(9).replace("20250114", "20991231");
  const sheet = readSchematic(text);
  assert.throws(() => removeItems(sheet, sheet.items), /can be viewed, not edited/);
});

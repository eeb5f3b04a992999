import assert from "node:assert/strict";
import { test } from "node:test";
import {
  dialectOf,
  fieldText,
  imageData,
  isOnLine,
  itemsOf,
  normalAngle,
  partsOf,
  placeKey,
  placePin,
  readLibrarySymbol,
  readOnlyReason,
  readSchematic,
  readSymbolLibrary,
  referenceShown,
  round,
  samePlace,
  symbolTransform,
  transformPoint,
  valueShown,
} from "./index.ts";

const AMPLIFIER = `(symbol "Own:AMP" (pin_numbers hide) (pin_names (offset 0.2) hide) (in_bom yes) (on_board yes)
    (property "Reference" "U" (id 0) (at 0 0 0))
    (symbol "AMP_0_1" (rectangle (start -5 5) (end 5 -5) (stroke (width 0.1) (type default)) (fill (type background))))
    (symbol "AMP_1_1"
      (polyline (pts (xy 0 0) (xy 1 1)) (stroke (width 0)) (fill (type none)))
      (arc (start 0 1) (mid 1 0) (end 0 -1) (stroke (width 0)) (fill (type outline)))
      (circle (center 1 2) (radius 0.5) (stroke (width 0)) (fill (type none)))
      (text "in" (at 1 1 900) (effects (font (size 1 1))))
      (pin input inverted (at -7.54 2.54 0) (length 2.54) (name "IN" (effects (font (size 1 1)))) (number "1")
        (alternate "CLK" output clock)))
    (symbol "AMP_2_1" (pin output line (at 7.54 0 180) (length 2.54) hide (name "OUT") (number "2")))
    (symbol "AMP_1_2" (pin passive line (at 0 7.54 270) (length 2.54) (name "~") (number "9"))))`;

const SHEET = `(kicad_sch (version 20230121) (generator eeschema)
  (uuid 11111111-0000-4000-8000-000000000001)
  (paper "A4" portrait)
  (title_block (title "One") (date "2026-01-02") (rev "B") (company "Us") (comment 1 "first") (comment 4 "fourth"))
  (lib_symbols ${AMPLIFIER})
  (bus_alias "USB" (members "DP" "DM"))
  (junction (at 10 10) (diameter 0) (color 0 0 0 0) (uuid j))
  (no_connect (at 20 20) (uuid n))
  (bus_entry (at 5 5) (size 2.54 -2.54) (stroke (width 0) (type default)) (uuid e))
  (wire (pts (xy 0 0) (xy 10 0)) (stroke (width 0.3) (type dash) (color 255 0 0 1)) (uuid w))
  (bus (pts (xy 0 1) (xy 10 1)) (stroke (width 0)) (uuid b))
  (polyline (pts (xy 0 0) (xy 1 1) (xy 2 0)) (stroke (width 0)) (uuid p))
  (rectangle (start 0 0) (end 4 4) (stroke (width 0)) (fill (type none)) (uuid r))
  (image (at 50 60) (scale 2) (uuid i) (data iVBO
    Rw0K))
  (text "a remark" (at 3 4 90) (effects (font (size 2 1) bold italic) (justify right top)) (uuid t))
  (text_box "boxed" (at 1 2 0) (size 10 5) (stroke (width 0)) (fill (type none)) (effects (font (size 1.27 1.27))) (uuid x))
  (label "NET1" (at 1 0 0) (effects (font (size 1.27 1.27)) (justify left bottom)) (uuid l1))
  (global_label "G" (shape output) (at 2 0 180) (effects (font (size 1.27 1.27))) (uuid l2)
    (property "Intersheetrefs" "x" (at 0 0 0) (effects (font (size 1.27 1.27)) hide)))
  (hierarchical_label "H" (shape input) (at 3 0 0) (effects (font (size 1.27 1.27))) (uuid l3))
  (netclass_flag "" (length 2.54) (shape round) (at 4 0 0) (uuid l4) (property "Netclass" "Fast" (at 0 0 0)))
  (rule_area (polyline (pts (xy 0 0) (xy 1 0) (xy 1 1)) (stroke (width 0)) (fill (type none)) (uuid ra)))
  (table (column_count 1) (cells (table_cell "cell" (at 0 0 0) (size 4 2) (margins 1 1 1 1))) (uuid tb))
  (symbol (lib_id "Own:AMP") (at 100 50 90) (mirror y) (unit 1) (in_bom yes) (on_board no) (dnp yes)
    (uuid s)
    (property "Reference" "U7" (at 100 40 0) (effects (font (size 1.27 1.27))))
    (property "Value" "AMP" (at 100 60 0) (effects (font (size 1.27 1.27)) hide))
    (pin "1" (uuid s1) (alternate "CLK"))
    (instances (project "one" (path "/11111111-0000-4000-8000-000000000001" (reference "U7") (unit 1)))))
  (sheet (at 150 50) (size 20 30) (stroke (width 0)) (fill (color 0 0 0 0.0)) (uuid sh)
    (property "Sheetname" "Power" (at 150 49 0)) (property "Sheetfile" "power.kicad_sch" (at 150 81 0))
    (pin "H" input (at 150 60 180) (effects (font (size 1.27 1.27))) (uuid shp))
    (instances (project "one" (path "/11111111-0000-4000-8000-000000000001" (page "2")))))
  (sheet_instances (path "/" (page "1")))
)
`;

test("a sheet's items are read with their places, looks and texts", () => {
  const sheet = readSchematic(SHEET);
  assert.deepEqual(
    [sheet.version, sheet.generator, sheet.uuid, sheet.paper],
    [20230121, "eeschema", "11111111-0000-4000-8000-000000000001", { name: "A4", widthMm: 210, heightMm: 297 }],
  );
  assert.deepEqual(
    sheet.items.map((item) => item.kind).join(" "),
    "junction no_connect bus_entry wire bus shape shape image text text_box label label label label rule_area table symbol sheet",
  );
  assert.deepEqual([sheet.titleBlock.title, sheet.titleBlock.comments.get(4)], ["One", "fourth"]);
  assert.deepEqual(sheet.busAliases.get("USB"), ["DP", "DM"]);
  const [wire] = itemsOf(sheet, "wire");
  assert.deepEqual([wire?.start, wire?.end, wire?.stroke.type], [{ x: 0, y: 0 }, { x: 10, y: 0 }, "dash"]);
  assert.deepEqual(wire?.stroke.colour, { red: 255, green: 0, blue: 0, alpha: 1 });
  assert.deepEqual(itemsOf(sheet, "bus_entry")[0]?.end, { x: 7.54, y: 2.46 });
  const [text] = itemsOf(sheet, "text");
  assert.deepEqual(
    [text?.text, text?.angle, text?.effects.heightMm, text?.effects.bold, text?.effects.horizontal],
    ["a remark", 90, 2, true, "right"],
  );
  const [image] = itemsOf(sheet, "image");
  assert.equal(image && imageData(image.node), "iVBORw0K");
  assert.deepEqual(
    itemsOf(sheet, "label").map(({ scope, text: name }) => `${scope} ${name}`),
    ["local NET1", "global G", "hierarchical H", "directive "],
  );
  assert.equal(fieldText(itemsOf(sheet, "label")[3]?.fields ?? [], "Netclass"), "Fast");
  const [below] = itemsOf(sheet, "sheet");
  assert.deepEqual([below?.name, below?.file, below?.pins[0]?.name], ["Power", "power.kicad_sch", "H"]);
  assert.equal(below?.pages.get("/11111111-0000-4000-8000-000000000001"), "2");
  assert.equal(sheet.pages.get("/"), "1");
});

test("a symbol has the parts of its unit and style, and its pins where they are on the sheet", () => {
  const [symbol] = itemsOf(readSchematic(SHEET), "symbol");
  assert.ok(symbol?.library);
  assert.deepEqual([referenceShown(symbol), valueShown(symbol), symbol.unit, symbol.onBoard], ["U7", "AMP", 1, false]);
  assert.ok(symbol.doNotPopulate);
  assert.deepEqual(
    symbol.pins.map(({ number, name, type, shape }) => [number, name, type, shape]),
    [["1", "CLK", "output", "clock"]],
  );
  assert.deepEqual(
    [symbol.pins[0]?.at, symbol.pins[0]?.inner],
    [
      { x: 102.54, y: 57.54 },
      { x: 102.54, y: 55 },
    ],
  );
  assert.deepEqual(symbol.library.pinNamesHidden && symbol.library.pinNumbersHidden, true);
  assert.equal(symbol.library.unitCount, 2);
  assert.deepEqual(
    partsOf(symbol.library, 1, 2).flatMap((part) => part.pins.map((pin) => pin.number)),
    ["9"],
  );
  assert.equal(
    placePin(partsOf(symbol.library, 2, 1)[1]?.pins[0] ?? assert.fail(), undefined, symbol.transform).hidden,
    true,
  );
});

test("pins of all eight positions are where KiCad has them", () => {
  const places = [0, 90, 180, 270].flatMap((angle) =>
    ([undefined, "x", "y"] as const).map((mirror) => {
      const { x, y } = transformPoint(symbolTransform({ x: 0, y: 0 }, angle, mirror), { x: 1, y: 2 });
      return `${angle}${mirror ?? ""}:${x},${y}`;
    }),
  );
  assert.equal(
    places.join(" "),
    "0:1,-2 0x:1,2 0y:-1,-2 90:-2,-1 90x:-2,1 90y:2,-1 180:-1,2 180x:-1,-2 180y:1,2 270:2,1 270x:2,-1 270y:-2,1",
  );
});

test("points that are equal in KiCad's unit are one place", () => {
  assert.ok(samePlace({ x: 0.1 + 0.2, y: 1 }, { x: 0.3, y: 1 }));
  assert.equal(placeKey({ x: 0.1 + 0.2, y: -1 }), "3000,-10000");
  assert.ok(isOnLine({ x: 1.27, y: 0 }, { x: 0, y: 0 }, { x: 2.54, y: 0 }));
  assert.ok(!isOnLine({ x: 2.55, y: 0 }, { x: 0, y: 0 }, { x: 2.54, y: 0 }));
  assert.ok(!isOnLine({ x: 1, y: 0.0001 }, { x: 0, y: 0 }, { x: 2, y: 0 }));
  assert.deepEqual([normalAngle(-90), normalAngle(450), round(0.1 + 0.2)], [270, 90, 0.3]);
});

test("a library's symbols have the parts of those that they extend", () => {
  const library = readSymbolLibrary(`(kicad_symbol_lib (version 20211014) (generator x)
    (symbol "A" (power) (property "Value" "A" (at 0 0 0)) (property "Footprint" "F" (at 0 0 0))
      (symbol "A_1_1" (pin passive line (at 0 0 0) (length 1) (name "~") (number "1"))))
    (symbol "B" (extends "A") (property "Value" "B" (at 0 0 0)))
    (symbol "C" (extends "B")))`);
  const c = library.get("C");
  assert.deepEqual([c?.parts[0]?.pins[0]?.number, c?.power], ["1", "global"]);
  assert.deepEqual([fieldText(c?.fields ?? [], "Value"), fieldText(c?.fields ?? [], "Footprint")], ["B", "F"]);
  assert.equal(c && readLibrarySymbol(c.node).parts.length, 0);
});

test("symbols that extend themselves are refused", () => {
  const lib = '(kicad_symbol_lib (version 1) (symbol "A" (extends "B")) (symbol "B" (extends "A")))';
  assert.throws(() => readSymbolLibrary(lib), /A extends itself \(line 1/);
  assert.throws(() => readSymbolLibrary("(kicad_sch)"), /not a KiCad symbol library/);
});

test("other files and files without a version are refused", () => {
  assert.throws(() => readSchematic("(kicad_pcb (version 1))"), /not a KiCad schematic/);
  assert.throws(() => readSchematic("(kicad_sch)"), /does not say its file version/);
});

test("versions say which KiCad's words a file uses, and whether it can be changed", () => {
  assert.deepEqual([20211123, 20230121, 20231120, 20250114].map(dialectOf), [6, 7, 8, 9]);
  assert.deepEqual([20210406, 20220914].map(dialectOf), [6, 7]);
  assert.match(readOnlyReason(20990101) ?? "", /newer than KiCad 9/);
  assert.match(readOnlyReason(1) ?? "", /before KiCad 6/);
  assert.equal(readOnlyReason(20250114), undefined);
});

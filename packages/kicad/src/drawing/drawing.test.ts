import assert from "node:assert/strict";
import { test } from "node:test";
import { readDesign } from "../schematic/index.ts";
import { type Drawn, drawSheet, itemsAt, itemsWithin, toSvg } from "./index.ts";
import type { Arc, Path, Primitive, Writing } from "./primitives.ts";
import { arcThrough, lineStyle } from "./primitives.ts";
import { createSpatialIndex } from "./spatial.ts";
import { layText, textWidth, wrapText } from "./text.ts";

const FONT = "(effects (font (size 1.27 1.27)))";
const STROKE = "(stroke (width 0) (type default))";

/** One symbol with a body of 4 × 4, a pin on its left and one at its top. */
const LIBRARY = `(lib_symbols (symbol "T:U" (pin_names (offset 0.5)) (in_bom yes) (on_board yes)
  (symbol "U_0_1" (rectangle (start -2 2) (end 2 -2) ${STROKE} (fill (type background))))
  (symbol "U_1_1"
    (pin input inverted (at -5 0 0) (length 3) (name "A" ${FONT}) (number "1" ${FONT}))
    (pin output line (at 0 5 270) (length 3) (name "~{Q}" ${FONT}) (number "2" ${FONT})))))`;

const symbol = (at: string, more = ""): string => `(symbol (lib_id "T:U") (at ${at}) ${more} (unit 1)
  (uuid "u-${at}") (property "Reference" "U1" (at 60 44 0) (effects (font (size 1.27 1.27)) (justify left)))
  (property "Value" "\${REFERENCE}!" (at 60 56 0) ${FONT}) (property "Hidden" "h" (at 0 0 0) (effects (font (size 1 1)) (hide yes))))`;

function draw(items: string): { items: Drawn[]; find(kind: string): Drawn; svg: string } {
  const text = `(kicad_sch (version 20231120) (generator "test") (uuid "root") (paper "A4") ${LIBRARY} ${items})`;
  const sheet = readDesign("t.kicad_sch", () => text).sheets[0] ?? assert.fail();
  const drawn = drawSheet(sheet, 1);
  return {
    items: drawn.items.slice(1),
    find: (id) => drawn.items.find((each) => each.id === id) ?? assert.fail(id),
    svg: toSvg(
      drawn.items.flatMap(({ primitives }) => primitives),
      drawn.box,
      "a <title>",
    ),
  };
}

const texts = ({ primitives }: Drawn): Writing[] => primitives.filter((each): each is Writing => each.kind === "text");
const lines = ({ primitives }: Drawn): Path[] => primitives.filter((each): each is Path => each.kind === "path");
const ends = (line: Primitive | undefined) =>
  line?.kind === "path" ? line.points.map(({ x, y }) => [Math.round(x * 100) / 100, Math.round(y * 100) / 100]) : [];

test("a symbol is drawn with its body, pins and fields; hidden fields are not", () => {
  const item = draw(symbol("50 50 0")).find("u-50 50 0");
  assert.deepEqual(ends(lines(item)[0]), [
    ...[
      [48, 48],
      [52, 48],
    ],
    ...[
      [52, 52],
      [48, 52],
    ],
  ]);
  assert.deepEqual(
    texts(item)
      .map(({ text }) => text)
      .sort(),
    ["1", "2", "A", "U1", "U1!", "~{Q}"],
  );
  const circle = item.primitives.find((each): each is Arc => each.kind === "arc");
  assert.deepEqual(circle?.center, { x: 47.365, y: 50 }, "the circle of an inverted pin is outside the body");
  assert.deepEqual([item.body.left, item.body.top].map(Math.round), [45, 45]);
});

for (const [angle, mirror, pin] of [
  ["0", "", [45, 50]],
  ["90", "", [50, 55]],
  ["180", "", [55, 50]],
  ["270", "", [50, 45]],
  ["0", "(mirror y)", [55, 50]],
  ["90", "(mirror x)", [50, 45]],
] as const) {
  test(`a symbol at ${angle}° ${mirror} has its first pin at ${pin.join(", ")}, and no text upside down`, () => {
    const item = draw(symbol(`50 50 ${angle}`, mirror)).find(`u-50 50 ${angle}`);
    assert.ok(lines(item).some((line) => String(ends(line)[0]) === String(pin)));
    const name = texts(item).find(({ text }) => text === "A");
    assert.equal(name?.isTurned, angle === "90" || angle === "270");
  });
}

test("a field turns with its symbol: at 180° its anchor is at the other end, at 90° it stands", () => {
  const reference = (angle: string) =>
    texts(draw(symbol(`50 50 ${angle}`)).find(`u-50 50 ${angle}`)).find(({ text }) => text === "U1");
  assert.deepEqual([reference("0")?.across, reference("0")?.isTurned], ["left", false]);
  assert.deepEqual([reference("180")?.across, reference("180")?.isTurned], ["right", false]);
  assert.deepEqual([reference("90")?.across, reference("90")?.isTurned], ["left", true]);
});

test("a symbol without a definition, and one that is not placed, say so", () => {
  const unknown = draw('(symbol (lib_id "No:Such") (at 10 10 0) (unit 1) (uuid "x"))').find("x");
  assert.deepEqual(
    texts(unknown).map(({ text, role }) => [text, role]),
    [["??", "missing"]],
  );
  const out = draw(symbol("50 50 0", "(dnp yes)")).find("u-50 50 0");
  assert.equal(lines(out).filter(({ role }) => role === "missing").length, 2);
});

const LABELS = `(wire (pts (xy 10 10) (xy 20 10)) ${STROKE} (uuid "w")) (junction (at 20 10) (diameter 0) (uuid "j"))
  (no_connect (at 30 10) (uuid "n")) (label "NET{slash}A" (at 12 10 0) ${FONT} (uuid "l"))
  (global_label "G" (shape input) (at 40 10 180) ${FONT} (uuid "g"))
  (hierarchical_label "H" (shape output) (at 50 10 90) ${FONT} (uuid "h"))
  (sheet (at 60 20) (size 20 10) ${STROKE} (fill (color 0 0 0 0)) (uuid "s")
    (property "Sheetname" "Inner" (at 60 19 0) ${FONT}) (property "Sheetfile" "in.kicad_sch" (at 60 31 0) ${FONT})
    (pin "P" input (at 60 25 180) ${FONT} (uuid "sp")))
  (text "two\\nlines" (at 10 40 0) ${FONT} (uuid "t")) (bus (pts (xy 0 60) (xy 9 60)) ${STROKE} (uuid "b"))
  (bus_entry (at 9 60) (size 2.54 -2.54) ${STROKE} (uuid "e"))`;

test("every kind of item has its place", () => {
  const drawn = draw(LABELS);
  assert.deepEqual(ends(lines(drawn.find("w"))[0]), [
    [10, 10],
    [20, 10],
  ]);
  assert.equal(drawn.find("j").primitives[0]?.kind, "arc");
  assert.equal(lines(drawn.find("n")).length, 2);
  assert.equal(texts(drawn.find("l"))[0]?.text, "NET{slash}A");
  assert.equal(texts(drawn.find("g"))[0]?.across, "right", "a label that points to the left ends at its wire");
  assert.equal(texts(drawn.find("h"))[0]?.isTurned, true);
  assert.deepEqual(
    texts(drawn.find("s")).map(({ text }) => text),
    ["P", "Inner", "File: in.kicad_sch"],
  );
  assert.equal(lines(drawn.find("b"))[0]?.width, 0.3048);
  assert.deepEqual(ends(lines(drawn.find("e"))[0]), [
    [9, 60],
    [11.54, 57.46],
  ]);
  assert.match(drawn.svg, /^<svg [^>]+>.*<title>a &lt;title&gt;<\/title>/);
  assert.match(drawn.svg, />NET\/A<\/text>/);
});

test("a click takes the smallest item there: the wire under a label, the symbol by its body", () => {
  const drawn = draw(`${LABELS} ${symbol("50 50 0")}`);
  const at = (x: number, y: number) => itemsAt(drawn.items, { x, y }, 0.3).map(({ id }) => id);
  assert.equal(at(15, 10.1)[0], "w");
  assert.equal(at(20, 10)[0], "j");
  assert.deepEqual(at(13, 9), ["l"]);
  assert.deepEqual(at(51, 51), ["u-50 50 0"]);
  assert.deepEqual(at(75, 28), ["s"]);
  assert.deepEqual(at(100, 100), []);
});

test("a frame to the right takes whole items, to the left also those that it touches", () => {
  const { items } = draw(LABELS);
  const ids = (x1: number, x2: number) => itemsWithin(items, { x: x1, y: 9 }, { x: x2, y: 11 }).map(({ id }) => id);
  assert.deepEqual(
    ids(9, 21).filter((id) => id === "w"),
    ["w"],
  );
  assert.deepEqual(
    ids(15, 25).filter((id) => id === "w"),
    [],
  );
  assert.deepEqual(
    ids(25, 15).filter((id) => id === "w"),
    ["w"],
  );
});

test("what did not change is the same object when a sheet is drawn again", () => {
  const read = (items: string) =>
    readDesign("t.kicad_sch", () => `(kicad_sch (version 20231120) (uuid "r") (paper "A4") ${LIBRARY} ${items})`)
      .sheets[0] ?? assert.fail();
  const before = drawSheet(read(`${LABELS} ${symbol("50 50 0")}`), 1);
  const after = drawSheet(read(`${LABELS.replace("(xy 20 10)", "(xy 22 10)")} ${symbol("50 50 0")}`), 1, before);
  const changed = after.items.filter((item) => !before.items.includes(item)).map(({ id }) => id);
  assert.deepEqual(changed.sort(), ["frame", "u-50 50 0", "w"], "the symbol has words of the sheet in it");
});

test("an arc goes through its three points on the right side", () => {
  const style = lineStyle("body");
  const arc = arcThrough({ x: -1, y: 0 }, { x: 0, y: -1 }, { x: 1, y: 0 }, style) as Arc;
  assert.deepEqual([arc.center.x, arc.center.y, arc.radius].map(Math.round), [0, 0, 1]);
  const middle = (arc.from + arc.to) / 2;
  assert.ok(Math.abs(Math.sin(middle) + 1) < 1e-9, "by way of the top");
  assert.equal(arcThrough({ x: 0, y: 0 }, { x: 1, y: 1 }, { x: 2, y: 2 }, style).kind, "path");
});

test("text: bars, small letters, lines, and widths without a font", () => {
  const { runs, bars } = layText({ text: "A~{BC}_{d}\ne", size: 1, across: "left", down: "bottom" });
  assert.deepEqual(
    runs.map(({ text }) => text),
    ["A", "BC", "d", "e"],
  );
  assert.equal(bars.length, 1);
  assert.ok((runs[2]?.size ?? 1) < 1 && (runs[3]?.y ?? 1) === 0);
  assert.equal(textWidth("~{AB}", 1), textWidth("AB", 1));
  assert.equal(wrapText("one two three", 1, textWidth("one two", 1) + 0.01), "one two\nthree");
});

test("things are found by their place, also very large ones, without a long search", () => {
  const box = (left: number, top: number, size: number) => ({ left, top, right: left + size, bottom: top + size });
  const things = [
    { id: "a", box: box(0, 0, 1) },
    { id: "huge", box: box(-1e9, -1e9, 2e9) },
    { id: "b", box: box(100, 100, 5) },
  ];
  const index = createSpatialIndex(things);
  assert.deepEqual(
    index.find(box(0, 0, 2)).map(({ id }) => id),
    ["a", "huge"],
  );
  assert.deepEqual(
    index.find(box(-1e9, -1e9, 2e9)).map(({ id }) => id),
    ["a", "huge", "b"],
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { pictureOf } from "./drawing/index.ts";
import { readNets } from "./nets/index.ts";
import { MAX_PINS, MAX_SHEETS, readDesign, readSchematic, readSymbolLibrary } from "./schematic/index.ts";
import { FileFault, readTree } from "./sexpr/index.ts";
import { crowded } from "./testing/crowded.ts";
import { Drawing } from "./testing/draw.ts";

test("a file cut at any place is refused with a place, or read", () => {
  const text = crowded(1);
  for (let end = 0; end < text.length - 2; end += 31) {
    assert.throws(() => readTree(text.slice(0, end)), FileFault);
  }
});

test("characters that are changed at random never break more than the file", () => {
  const text = crowded(1);
  for (let at = 0; at < 150; at++) {
    const place = (at * 7919) % text.length;
    const changed = `${text.slice(0, place)}${'()"\\ 9z\n'[at % 8]}${text.slice(place + 1)}`;
    try {
      readNets(readDesign("x.kicad_sch", () => changed));
    } catch (fault) {
      assert.ok(fault instanceof FileFault, String(fault));
    }
  }
});

test("names that objects have by birth are plain names", () => {
  const text = crowded(1)
    .replaceAll('"Own:R"', '"__proto__"')
    .replaceAll('"A"', '"constructor"')
    .replace('"A4"', '"toString"');
  const sheet = readSchematic(text);
  assert.equal(sheet.paper.widthMm, 297);
  assert.ok(readNets(readDesign("x.kicad_sch", () => text)).nets.some(({ name }) => name === "/constructor"));
});

test("a small file whose symbols have very many pins together is refused", () => {
  const pins = "(pin a b)".repeat(1_000);
  const definition = `(lib_symbols (symbol "A:B" (symbol "B_2_1" ${pins})))`;
  const text = (count: number) =>
    `(kicad_sch (version 20231120) ${definition}${'(symbol (lib_id "A:B"))'.repeat(count)})`;
  assert.equal(readSchematic(text(MAX_PINS / 1_000)).items.length, MAX_PINS / 1_000);
  assert.throws(() => readSchematic(text(MAX_PINS / 1_000 + 1)), /more than 250000 pins/);
});

test("a long chain of symbols that extend each other is refused", () => {
  const chain = (length: number) =>
    Array.from({ length }, (_, at) => `(symbol "s${at}"${at + 1 < length ? ` (extends "s${at + 1}")` : ""})`).join("");
  assert.equal(readSymbolLibrary(`(kicad_symbol_lib ${chain(32)})`).size, 32);
  assert.throws(() => readSymbolLibrary(`(kicad_symbol_lib ${chain(33)})`), /extends too many symbols/);
});

test("a large sheet that is used very often is left out, and said", () => {
  const sheet = (at: number) =>
    `(sheet (uuid ${at}) (property "Sheetname" "S") (property "Sheetfile" "leaf.kicad_sch"))`;
  const texts = new Map([
    ["x.kicad_sch", `(kicad_sch (version 20231120) ${Array.from({ length: 600 }, (_, at) => sheet(at)).join("")})`],
    ["leaf.kicad_sch", `(kicad_sch (version 20231120) ${"(junction)".repeat(2_000)})`],
  ]);
  const { sheets, faults } = readDesign("x.kicad_sch", (name) => texts.get(name));
  assert.equal(sheets.length, 1 + 499);
  assert.match(faults[0]?.reason ?? "", /more than 1000000 items/);
});

test("sheets that multiply are counted, and the rest is a fault that says so", () => {
  const many = (file: string) => {
    const drawing = new Drawing();
    for (let at = 0; at < 40; at++) drawing.sheet(`S${at}`, file, { at: [at * 9, 0], size: [8, 8] });
    return String(drawing);
  };
  const files = new Map([
    ["a.kicad_sch", many("b.kicad_sch")],
    ["b.kicad_sch", many("c.kicad_sch")],
    ["c.kicad_sch", String(new Drawing())],
  ]);
  const { sheets, faults } = readDesign("a.kicad_sch", (name) => files.get(name));
  assert.ok(sheets.length <= MAX_SHEETS);
  assert.ok(faults.length > 0 && faults.every(({ reason }) => /more than 1000 sheets/.test(reason)));
});

const png = (width: number, height: number) => {
  const head = [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52];
  const number = (value: number) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
  return btoa(String.fromCharCode(...head, ...number(width), ...number(height), 8, 6, 0, 0));
};
/** How many of these pictures are drawn. */
const drawnOf = (...pictures: string[]): number => {
  const text = String(
    pictures.reduce((sheet, data, i) => sheet.raw(`(image (at 50 50) (uuid "i${i}") (data "${data}"))`), new Drawing()),
  );
  const [sheet] = readDesign("x.kicad_sch", () => text).sheets;
  return pictureOf(sheet ?? assert.fail(), 1).svg.split("<image").length - 1;
};

test("a picture that says it has a billion pixels is not drawn, one without pixels neither", () => {
  const drawn = [png(40, 40), png(40_000, 40_000), png(0, 4), "zzzz"].map((data) => drawnOf(data));
  assert.deepEqual(drawn, [1, 0, 0, 0]);
});

test("the pictures on a sheet have a limited number of pixels together", () => {
  assert.equal(drawnOf(...Array.from({ length: 100 }, () => png(4_096, 2_048))), 2);
  assert.equal(drawnOf(png(4_096, 4_097), png(4_000, 4_000), png(40_000, 1), png(4_096, 4_096), png(40, 40)), 3);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { readNets } from "./nets/index.ts";
import { readDesign, readSchematic } from "./schematic/index.ts";
import { FileFault, readTree } from "./sexpr/index.ts";
import { crowded } from "./testing/crowded.ts";

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

import assert from "node:assert/strict";
import { test } from "node:test";
import { drawSheet } from "@backplane/kicad/drawing";
import { readDesign } from "@backplane/kicad/schematic";
import { findItems } from "./find-items.ts";
import { exampleSheet } from "./new-sheets.ts";
import { itemWords } from "./words.ts";

test("what has just that name is found first, before what begins with it", () => {
  const text = exampleSheet().replace('(label "LED_A"', '(label "R1_SENSE"');
  const design = readDesign("example.kicad_sch", () => text);
  const [sheet = assert.fail()] = design.sheets;
  const shown = { design, sheet, drawn: drawSheet(sheet, 1) };
  const session = { state: () => shown } as Parameters<typeof findItems>[0];
  const found = (typed: string) => findItems(session, typed).map(({ item }) => itemWords(item, sheet));
  assert.deepEqual(found(" r1 "), ["R1, 330", "Label, R1_SENSE"]);
  assert.deepEqual(found("r1 sense"), ["Label, R1_SENSE"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { footprintId } from "./library-footprints.ts";

test("a footprint has the name that KiCad gives it, from its folder and its file", () => {
  assert.equal(footprintId("footprints/Resistors.pretty/R_0805.kicad_mod"), "Resistors:R_0805");
  assert.equal(footprintId("loose.kicad_mod"), "loose");
});

// OpenCASCADE itself, with so little memory that a small file fills it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import open, { type OcctParameters } from "occt-import-js";
import { stepBox, withRings } from "../../../../../../../e2e/support/step-box.ts";
import { limitMemory } from "./step-limits.ts";
import { toStepMesh } from "./step-mesh.ts";

const PARAMETERS: OcctParameters = {
  ...{ linearUnit: "millimeter", linearDeflectionType: "bounding_box_ratio" },
  ...{ linearDeflection: 0.004, angularDeflection: 0.6 },
};

test("a file that fills the memory of the library is told so while it is read", async () => {
  let refusals = 0;
  limitMemory(() => (refusals += 1), 40 * 1024 * 1024);
  const library = readFileSync(new URL(import.meta.resolve("occt-import-js/dist/occt-import-js.wasm")));
  const occt = await open({ wasmBinary: new Uint8Array(library).buffer, print() {}, printErr() {} });
  const box = stepBox([4, 4, 2], [1, 0, 0]);
  const read = (file: string) => occt.ReadStepFile(new TextEncoder().encode(file), PARAMETERS);
  assert.equal(toStepMesh(read(box)).corners.length, 36);
  assert.equal(refusals, 0);
  read(withRings(box, 300));
  assert.ok(refusals > 0);
});

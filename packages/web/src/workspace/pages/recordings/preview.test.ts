import assert from "node:assert/strict";
import { test } from "node:test";
import { linesOf } from "./preview.ts";

test("a line breaks where nothing was measured, and is never drawn across", () => {
  assert.equal(linesOf([0, 100, null, 50, 50]), "M0.0 92.0L25.0 8.0M75.0 50.0L100.0 50.0");
  assert.equal(linesOf([]), "");
  assert.equal(linesOf([null, null]), "");
});

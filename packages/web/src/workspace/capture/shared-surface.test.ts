import assert from "node:assert/strict";
import { test } from "node:test";
import { backdropAmong } from "./shared-surface.ts";

test("a transparent element gets the nearest colour behind it, in the end the browser's own", () => {
  assert.equal(backdropAmong(["rgba(0, 0, 0, 0)", "rgb(1, 2, 3)", "rgb(9, 9, 9)"]), "rgb(1, 2, 3)");
  assert.equal(backdropAmong(["oklch(0.9 0.1 90 / 0)", "transparent", "color(srgb 1 0 0)"]), "color(srgb 1 0 0)");
  assert.equal(backdropAmong(["rgba(0, 0, 0, 0.5)"]), "rgba(0, 0, 0, 0.5)");
  assert.equal(backdropAmong(["rgba(0, 0, 0, 0)"]), "Canvas");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { heldWords, hueOf, readPixels, readSegments, rgbOfHue } from "./strip.ts";

test("pixels are read as they came; one that does not answer is not black", () => {
  assert.deepEqual(readPixels("ff8000------00000G0000ff12"), [[255, 128, 0], undefined, undefined, [0, 0, 255]]);
  for (const wrong of [undefined, null, 7, ["ff8000"], "ff80"]) assert.deepEqual(readPixels(wrong), []);
  assert.equal(readPixels("0".repeat(100_000)).length, 1_024);
});

test("a strip without segments is one of its own; what is wrong in a segment is left out", () => {
  const [whole] = readSegments({ on: true, brightness_pct: 40, rgb: [1, 2, 3], segments: null }, 60);
  assert.deepEqual([whole?.name, whole?.from, whole?.to, whole?.brightnessPct], [undefined, 0, 59, 40]);
  const [one, ...others] = readSegments({ segments: [{ name: "cabin", rgb: [1, 2, 300], on: "yes" }, 3, null, []] }, 9);
  assert.deepEqual([one?.name, one?.rgb, one?.on, others.length], ["cabin", undefined, undefined, 0]);
});

test("a hue becomes a colour and back", () => {
  for (let hue = 0; hue < 360; hue += 15) assert.ok(Math.abs(hueOf(rgbOfHue(hue)) - hue) <= 1, String(hue));
  assert.equal(hueOf([9, 9, 9]), 0);
});

test("it is said when the current budget holds a segment, and only then", () => {
  const segment = { on: true, askedPct: 80, brightnessPct: 62 };
  assert.deepEqual(heldWords(segment, { wantedA: 2.58, budgetA: 2 }), {
    held: "Held at 62 %.",
    why: "80 % was asked, but would draw 2.6 A of 2.0 A.",
  });
  assert.equal(heldWords(segment, { wantedA: 1.5, budgetA: 2 }), undefined);
  assert.equal(heldWords({ ...segment, brightnessPct: 80 }, { wantedA: 2.58, budgetA: 2 }), undefined);
  assert.equal(heldWords({ ...segment, brightnessPct: undefined }, { wantedA: 2.58, budgetA: 2 }), undefined);
});

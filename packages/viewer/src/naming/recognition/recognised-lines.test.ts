import assert from "node:assert/strict";
import { test } from "node:test";
import type { EngineBlock } from "./engine.ts";
import { RECOGNISER_LIMITS } from "./limits.ts";
import { joinBands } from "./recognised-lines.ts";

const bbox = { x0: 0, y0: 0, x1: 100, y1: 10 };

test("text is cut off if an engine returns more than fits into a picture", () => {
  const line = { words: [{ text: "word ".repeat(1_000), confidence: 90, bbox }], bbox };
  const block: EngineBlock = { paragraphs: [{ lines: Array.from({ length: 500 }, () => line) }] };
  const bitmap = { data: new Uint8Array(0), width: 100, height: 100, scaleX: 1, scaleY: 1 };
  const box = { left: 0, top: 0, width: 100, height: 100 };
  const { lines } = joinBands([{ box, blocks: [block, block] }], bitmap);
  assert.equal(lines.length, RECOGNISER_LIMITS.maxCharacters / RECOGNISER_LIMITS.maxLineCharacters);
  assert.ok(lines.every(({ text }) => text.length <= RECOGNISER_LIMITS.maxLineCharacters));
});

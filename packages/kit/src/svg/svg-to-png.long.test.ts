import assert from "node:assert/strict";
import { test } from "node:test";
import { svgToPng } from "./svg-to-png.ts";

const drawing = (inside: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="297mm" height="210mm" viewBox="0 0 297 210">${inside}</svg>`;
/** Each of its lines crosses all others: it takes minutes. */
const HARD = `<path d="M0 0${Array.from({ length: 40_000 }, (_, i) => `L${(i * 7_919) % 297} ${i % 2 ? 0 : 210}`).join("")}Z"/>`;

test("a drawing becomes a picture of the size that was asked for", async () => {
  const png = await svgToPng(drawing("<rect width='9' height='9'/>"), 64);
  assert.deepEqual([png?.width, png?.height, png?.bytes.toString("latin1", 1, 4)], [64, 45, "PNG"]);
  assert.equal(await svgToPng("<svg>", 64), undefined);
  assert.equal(await svgToPng(drawing("<rect"), 64), undefined);
});

test("a drawing that takes too long is given up, also while it is drawn; others are drawn meanwhile", async () => {
  const hard = svgToPng(drawing(HARD), 4_096, 5_000);
  assert.equal((await svgToPng(drawing(""), 64))?.width, 64);
  assert.equal(await hard, undefined);
});

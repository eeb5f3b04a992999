import assert from "node:assert/strict";
import { test } from "node:test";
import { checkDesign } from "./erc/index.ts";
import { readDesign } from "./schematic/index.ts";
import { crowded } from "./testing/crowded.ts";

/** The best of several runs, so that other programs on the machine do not count. */
function bestMs(work: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 5; run++) {
    const begun = performance.now();
    work();
    best = Math.min(best, performance.now() - begun);
  }
  return best;
}

test("twice the parts take about twice the time to read, connect and check", () => {
  const time = (count: number) => {
    const text = crowded(count);
    return bestMs(() => void checkDesign(readDesign("x.kicad_sch", () => text)));
  };
  time(100);
  const [one, four] = [time(250), time(1000)];
  // Quadratic work would be 16 times as long.
  assert.ok(four < one * 10, `${one} ms, then ${four} ms`);
});

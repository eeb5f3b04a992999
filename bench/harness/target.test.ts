import assert from "node:assert/strict";
import { test } from "node:test";
import type { Round } from "./round.ts";
import { judge } from "./target.ts";

const measured = (operations: number, bytesEach: number) => ({ operations, wallS: 1, cpuS: 1, bytesEach });
const rounds: Round[] = [
  { dropped: true, measurements: { ours: measured(1, 9), peer: measured(100, 1) } },
  { dropped: false, measurements: { ours: measured(90, 2), peer: measured(100, 1) } },
];

test("a target holds by the median ratio: rates from below, sizes from above", () => {
  const holds = (target: Parameters<typeof judge>[0]) => judge(target, "ours", rounds).holds;
  assert.equal(holds({ measure: "per CPU-s", peer: "peer", atLeast: 0.9 }), true);
  assert.equal(holds({ measure: "per CPU-s", peer: "peer", atLeast: 0.91 }), false);
  assert.equal(holds({ measure: "bytes each", peer: "peer", atMost: 2 }), true);
  assert.equal(holds({ measure: "bytes each", peer: "peer", atMost: 1.99 }), false);
});

test("a target that was not measured is not met", () => {
  const { holds, sentence } = judge({ measure: "p99 ms", peer: "peer", atMost: 2 }, "ours", rounds);
  assert.equal(holds, false);
  assert.match(sentence, /^target missed: p99 ms, at most 2 × peer/);
});

test("a bound that is a fraction is printed with two digits", () => {
  const { sentence } = judge({ measure: "per CPU-s", peer: "peer", atLeast: 2 / 3 }, "ours", rounds);
  assert.match(sentence, /at least 0\.67 × peer; it is 0\.90$/);
});

test("latencies are judged by undisturbed repetitions, and not at all when those are too few", () => {
  const round = (p50Ms: number, othersCores: number): Round => ({
    dropped: false,
    measurements: {
      ours: { operations: 1, wallS: 1, cpuS: 1, p50Ms, othersCores },
      peer: { operations: 1, wallS: 1, cpuS: 1, p50Ms: 1, othersCores: 0 },
    },
  });
  const verdictOf = (...all: Round[]) => judge({ measure: "p50 ms", peer: "peer", atMost: 2 }, "ours", all).holds;
  assert.equal(verdictOf(round(1, 0), round(1, 0), round(9, 1)), true);
  assert.equal(verdictOf(round(3, 0), round(3, 0), round(1, 1)), false);
  assert.equal(verdictOf(round(1, 0), round(1, 1), round(1, 1)), undefined);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ValueCheck } from "@backplane/contract/panels";
import { decide } from "./decide.ts";

const CHECK: ValueCheck = {
  ...{ type: "value", device: null, capability: "motor", field: "velocity_rad_s" },
  ...{ compare: { is: "between", from: 4.5, to: 5.5 }, holdMs: 2_000 },
};
const every500Ms = (values: readonly number[], fromMs = 0) =>
  values.map((value, i) => ({ tMs: fromMs + i * 500, value }));
const ALWAYS = { afterMs: Number.NEGATIVE_INFINITY, sinceMs: 0 };

test("a step is done at the value with which the time was full, by the device that did it", () => {
  const measured = [
    { device: "slow", samples: every500Ms([1, 1, 1, 1, 1, 1]) },
    { device: "rover", samples: every500Ms([0, 4.9, 5.123_45, 5, 5, 5.1, 9]) },
  ];
  assert.deepEqual(decide(CHECK, measured, ALWAYS), {
    ...{ atMs: 2_500, because: "rover: velocity_rad_s was 5.1, for 2 s" },
  });
});

test("two devices do not make one stretch of time together, and a short one is not enough", () => {
  const measured = [
    { device: "a", samples: every500Ms([5, 5, 5, 0]) },
    { device: "b", samples: every500Ms([5, 5, 5, 0], 1_500) },
  ];
  assert.equal(decide(CHECK, measured, ALWAYS), undefined);
});

test("what was before the step before does not count, nor what is long ago", () => {
  const measured = [{ device: "a", samples: every500Ms([5, 5, 5, 5, 5, 5]) }];
  assert.equal(decide(CHECK, measured, { afterMs: 1_000, sinceMs: 0 }), undefined);
  assert.equal(decide(CHECK, measured, { ...ALWAYS, sinceMs: 10_000 }), undefined);
  assert.equal(decide(CHECK, measured, { afterMs: 0, sinceMs: 0 })?.atMs, 2_500);
});

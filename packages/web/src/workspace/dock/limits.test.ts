import assert from "node:assert/strict";
import { test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { MAX_NAME_LENGTH, MIN_RATIO } from "./limits.ts";

test("what can be typed and dragged is what the contract takes, and no less", () => {
  assert.equal(MAX_NAME_LENGTH, PANELS_LIMITS.maxNameLength);
  assert.equal(MIN_RATIO, PANELS_LIMITS.minRatio);
});

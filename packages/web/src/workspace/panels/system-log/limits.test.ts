import assert from "node:assert/strict";
import { test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { MAX_LINES } from "./limits.ts";

test("the panel keeps as many lines as the server does", () => {
  assert.equal(MAX_LINES, PANELS_LIMITS.maxLogEntries);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_EXPIRY_MS } from "@backplane/sdk";
import { endOf } from "./expiry.ts";
import { spanOf } from "./text.ts";

const NOON = new Date(2026, 7, 8, 12, 0).getTime();

test("a time span is in a readable unit", () => {
  const spans = [0, 59_999, 119_000, 3_599_900, 7_200_000, 172_800_000].map(spanOf);
  assert.deepEqual(spans, ["0 s", "59 s", "119 s", "60 min", "2 h", "2 days"]);
});

test("an expiry is a time, with its date if it is not today", () => {
  assert.equal(endOf(NOON + 3_600_000, NOON), "until 13:00, for 60 min");
  assert.equal(endOf(NOON + 24 * 3_600_000, NOON), "until 2026-08-09 12:00, for 24 h");
  assert.equal(endOf(NOON, NOON), "expired");
  assert.equal(endOf(NO_EXPIRY_MS, NOON), "until it is revoked");
});

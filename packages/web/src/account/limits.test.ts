import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ACCOUNT_LIMITS,
  API_KEY_LIMITS,
  NAME_PATTERN,
  PASSKEY_LIMITS,
  SESSION_LIMITS,
} from "@backplane/contract/accounts";
import { MAX_DISPLAY_NAME_LENGTH, MAX_LABEL_LENGTH, MAX_NAME_LENGTH } from "./limits.ts";

test("what can be typed is what the contract takes, and no less", () => {
  for (const { maxNameLength } of [API_KEY_LIMITS, PASSKEY_LIMITS, SESSION_LIMITS]) {
    assert.equal(maxNameLength, MAX_LABEL_LENGTH);
  }
  assert.equal(ACCOUNT_LIMITS.maxDisplayNameLength, MAX_DISPLAY_NAME_LENGTH);
  const name = new RegExp(NAME_PATTERN);
  assert.deepEqual([name.test("a".repeat(MAX_NAME_LENGTH)), name.test("a".repeat(MAX_NAME_LENGTH + 1))], [true, false]);
});

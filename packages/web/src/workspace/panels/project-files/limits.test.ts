import assert from "node:assert/strict";
import { test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { MAX_FILE_BYTES, MAX_TEXT_FILE_BYTES } from "./limits.ts";

test("the page's limits of files are the server's", () => {
  assert.deepEqual([MAX_TEXT_FILE_BYTES, MAX_FILE_BYTES], [PANELS_LIMITS.maxTextFileBytes, PANELS_LIMITS.maxFileBytes]);
});

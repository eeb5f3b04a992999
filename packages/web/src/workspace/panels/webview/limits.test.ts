import assert from "node:assert/strict";
import { test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { MAX_URL_LENGTH, REFRESH_WAIT_MS } from "./limits.ts";

test("the limits of a web view are those of the contract", () => {
  assert.equal(MAX_URL_LENGTH, PANELS_LIMITS.maxUrlLength);
  assert.ok(REFRESH_WAIT_MS < PANELS_LIMITS.refreshTimeoutMs, "a refresh is answered before the server gives up");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { patiently } from "./capture.ts";
import { CaptureTimeout } from "./shared-surface.ts";

test("a frame that does not come in time is waited for again; another tab is not", async () => {
  const outcomes = [new CaptureTimeout("no frame came"), new CaptureTimeout("no frame came"), "measured"];
  const measure = async () => {
    const outcome = outcomes.shift();
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  assert.equal(await patiently(measure), "measured");
  let tries = 0;
  const fail = (error: Error) => async () => {
    tries += 1;
    throw error;
  };
  await assert.rejects(patiently(fail(new Error("not this tab"))), /not this tab/);
  assert.equal(tries, 1);
  await assert.rejects(patiently(fail(new CaptureTimeout("no frame came"))), CaptureTimeout);
  assert.equal(tries, 5);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { isLongRun } from "../../../../scripts/testing/long.ts";
import { lastOf, leftBy, PROGRAM, upTo } from "./killed.suite.ts";

const TIMES = isLongRun ? 30 : 1;

test("a process that is killed while it records leaves a recording with all that it said to be written", async (t) => {
  for (let time = 0; time < TIMES; time += 1) {
    const program = (home: string) => [process.execPath, PROGRAM, home];
    const { said, recordings, values, next } = await leftBy(t, program, (text) => text.split("\n").length > 3);
    const written = Number(lastOf(said));
    assert.deepEqual([recordings.length, recordings[0]?.state], [1, "cut"]);
    assert.deepEqual(values, upTo(values.length));
    assert.ok(values.length >= written && written > 0, `${values.length} of ${written}`);
    assert.equal(next.state, "whole", "and the next one works");
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { lastOf, leftBy, PROGRAM, upTo } from "./killed.suite.ts";

test("a disk that takes no more ends the recording, and what was written is there", async (t) => {
  // No file may have more than 2 MB, which a process cannot tell from a full disk.
  const program = (home: string) => [
    ...["bash", "-c", 'ulimit -f 2048; exec "$0" "$@"', process.execPath, PROGRAM, home, "4000"],
  ];
  const { said, recordings, values, next } = await leftBy(t, program, (text) => text.includes("could not be written"));
  assert.match(lastOf(said), /could not be written/);
  assert.deepEqual([recordings[0]?.state, values.length > 100, next.state], ["cut", true, "whole"]);
  assert.deepEqual(values, upTo(values.length));
});

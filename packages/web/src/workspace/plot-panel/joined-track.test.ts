import assert from "node:assert/strict";
import { test } from "node:test";
import { createTrack } from "../parts/plot/track.ts";
import { joinTracks } from "./joined-track.ts";

const said = (tMs: number[], values: number[]) => ({
  ...{ tMs, fields: { value: values }, isHistory: true, thinned: false },
});

test("values of another channel are its last ones before, and none before its first or after a gap", () => {
  const [fast, slow] = [createTrack(), createTrack()];
  const joined = joinTracks(fast, [slow], (name) => ({ track: name === "own" ? fast : slow, field: "value" }));
  fast.append(said([500, 1_000, 1_250, 90_000], [1, 2, 3, 4]));
  const before = joined.revision;
  slow.append(said([1_000, 1_100, 1_200, 1_300, 1_400, 1_500, 1_600, 1_700], [10, 11, 12, 13, 14, 15, 16, 17]));
  assert.notEqual(joined.revision, before, "what was read before is read again");
  const read = (name: string) => [0, 1, 2, 3].map((sample) => joined.valueAt(name, sample));
  assert.deepEqual(read("own"), [1, 2, 3, 4]);
  assert.deepEqual(read("other"), [Number.NaN, 10, 12, Number.NaN]);
});

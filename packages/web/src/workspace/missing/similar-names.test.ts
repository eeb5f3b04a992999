import assert from "node:assert/strict";
import { test } from "node:test";
import { similarNames } from "./similar-names.ts";

test("names with at most two typos are offered, nearest first, at most three", () => {
  const named = (...names: string[]) => names.map((repo) => ({ owner: "ada", repo }));
  const all = named("oven", "rover-2", "Rover", "rove", "robber", "cover");
  const offered = (repo: string) => similarNames({ owner: "ada", repo }, all).map((name) => name.repo);
  assert.deepEqual(offered("rovre"), ["rove", "Rover"]);
  assert.deepEqual(offered("roover"), ["Rover", "rove", "robber"]);
  assert.deepEqual(offered("thermal-run"), []);
});

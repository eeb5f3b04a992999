import assert from "node:assert/strict";
import { test } from "node:test";
import { renamedFrom, similarNames } from "./similar-names.ts";

test("names with at most two typos are offered, nearest first, at most three", () => {
  const named = (...names: string[]) => names.map((repo) => ({ owner: "ada", repo }));
  const all = named("oven", "rover-2", "Rover", "rove", "robber", "cover");
  const offered = (repo: string) => similarNames({ owner: "ada", repo }, all).map((name) => name.repo);
  assert.deepEqual(offered("rovre"), ["rove", "Rover"]);
  assert.deepEqual(offered("roover"), ["Rover", "rove", "robber"]);
  assert.deepEqual(offered("thermal-run"), []);
});

test("a workspace is found by the name that it was created with, of the same owner only", () => {
  const all = [
    { owner: "eve", repo: "other", firstRepo: "rover" },
    { owner: "ada", repo: "oven" },
    { owner: "ada", repo: "thermal", firstRepo: "rover" },
  ];
  assert.equal(renamedFrom({ owner: "Ada", repo: "Rover" }, all), all[2]);
  assert.equal(renamedFrom({ owner: "ada", repo: "oven" }, all), undefined);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { isFileWanted } from "./file-wants.ts";

const WANTS = ["read:data/**", "write:notes/*.txt", "read:a*b/*.csv"];

test("a panel uses the files that its patterns name, and no others", () => {
  for (const path of ["data/one.txt", "data/deep/er/two.bin", "ab/x.csv", "a-long-b/x.csv"]) {
    assert.equal(isFileWanted(WANTS, "read", path), true, path);
  }
  for (const path of [
    "data",
    "data/",
    "dat/one",
    "xdata/one",
    "notes/one.txt",
    "ab/deep/x.csv",
    "ab/x.csv2",
    "b/x.csv",
  ]) {
    assert.equal(isFileWanted(WANTS, "read", path), false, path);
  }
  assert.equal(isFileWanted(WANTS, "write", "notes/one.txt"), true);
  for (const path of ["notes/deep/one.txt", "notes/one.md", "data/one.txt"]) {
    assert.equal(isFileWanted(WANTS, "write", path), false, path);
  }
});

test("no path leads out of its folder", () => {
  for (const path of ["data/../secret", "data/./one", "/data/one", "data//one", "../data/one", "", "data/.."]) {
    assert.equal(isFileWanted(["read:**", ...WANTS], "read", path), false, path);
  }
  assert.equal(isFileWanted(["read:**"], "read", "any/thing"), true);
  assert.equal(isFileWanted([], "read", "any"), false);
});

test("patterns with very many wildcards are as quick as others", () => {
  const pattern = `read:${"**/".repeat(60)}b`;
  const path = "a/".repeat(240);
  assert.equal(isFileWanted([pattern], "read", `${path}b`), true);
  assert.equal(isFileWanted([pattern], "read", `${path}c`), false);
  for (const [want, fitting, other] of [
    ["a/**/c", ["a/c", "a/b/c", "a/b/b/c"], ["a", "c", "a/c/d", "b/c"]],
    ["**/c", ["c", "a/c"], ["a", "c/a"]],
    ["a/**/**", ["a/b", "a/b/c"], ["a", "b/a"]],
  ] as const) {
    for (const file of fitting) assert.equal(isFileWanted([`read:${want}`], "read", file), true, `${want} ${file}`);
    for (const file of other) assert.equal(isFileWanted([`read:${want}`], "read", file), false, `${want} ${file}`);
  }
});

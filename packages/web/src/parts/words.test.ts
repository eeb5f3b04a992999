import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, numberWord, sentenceCase } from "./words.ts";

test("one thing is counted in the singular", () => {
  assert.equal(counted(0, "restart"), "0 restarts");
  assert.equal(counted(1, "restart"), "1 restart");
  assert.equal(counted(1_204, "library", "libraries"), "1,204 libraries");
});

test("small numbers have words", () => {
  assert.equal(numberWord(2), "two");
  assert.equal(numberWord(11), "11");
});

test("a sentence begins with a capital", () => {
  assert.equal(sentenceCase("is the latest"), "Is the latest");
});

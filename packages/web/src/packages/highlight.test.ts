import assert from "node:assert/strict";
import { test } from "node:test";
import { highlight } from "./highlight.ts";

const marked = (text: string, query: string) =>
  highlight(text, query)
    .map((piece) => (piece.hit ? `[${piece.text}]` : piece.text))
    .join("");

test("every match of a search word is marked, ignoring case", () => {
  assert.equal(marked("Stackup checker", "STACK check"), "[Stack]up [check]er");
  assert.equal(marked("via, Via, VIA", "via"), "[via], [Via], [VIA]");
  assert.equal(marked("Größe", "grö"), "[Grö]ße");
});

test("when two words match at the same place, the longer one is marked", () => {
  assert.equal(marked("connectors", "con connect"), "[connect]ors");
});

test("what is typed is text, never a pattern", () => {
  assert.equal(marked("a.b axb", "a.b"), "[a.b] axb");
  assert.equal(marked("C++ (yes)", "c++ (yes) [ \\ / -"), "[C++] [(yes)]");
});

test("nothing searched, nothing marked", () => {
  assert.deepEqual(highlight("Graphite", "  "), [{ text: "Graphite", hit: false }]);
  assert.deepEqual(highlight("", "x"), []);
});

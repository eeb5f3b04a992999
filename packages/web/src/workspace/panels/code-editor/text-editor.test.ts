import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { replacedPart } from "./text-editor.ts";

test("replacing the part turns one text into the other", () => {
  assert.deepEqual(replacedPart("one two three", "one 2 three"), { from: 4, to: 7, insert: "2" });
  assert.deepEqual(replacedPart("aaa", "aa"), { from: 2, to: 3, insert: "" });
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { from, to, insert } = replacedPart(before, after);
      assert.equal(before.slice(0, from) + insert + before.slice(to), after);
    }),
  );
});

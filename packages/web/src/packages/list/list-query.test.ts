import assert from "node:assert/strict";
import { test } from "node:test";
import { readQuery } from "./list-query.ts";

test("an address says what is searched", () => {
  assert.deepEqual(readQuery("?q=via+field&type=plugin"), { q: "via field", type: "plugin" });
  assert.deepEqual(readQuery(""), { q: "", type: undefined });
});

test("what the server would refuse is never asked", () => {
  assert.deepEqual(readQuery("?q=%20%20&type=toString"), { q: "", type: undefined });
  assert.equal(readQuery(`?q=${"x".repeat(500)}`).q.length, 200);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { readQuery } from "./list-query.ts";

test("the address contains the search", () => {
  assert.deepEqual(readQuery("?q=via+field&type=plugin"), { q: "via field", type: "plugin" });
  assert.equal(readQuery("?type=datasource").type, "datasource");
  assert.deepEqual(readQuery(""), { q: "", type: undefined });
});

test("searches that the server would refuse are never sent", () => {
  assert.deepEqual(readQuery("?q=%20%20&type=toString"), { q: "", type: undefined });
  assert.equal(readQuery(`?q=${"x".repeat(500)}`).q.length, 200);
});

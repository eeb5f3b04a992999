import assert from "node:assert/strict";
import { test } from "node:test";
import { readQuery, withParameters } from "./list-address.ts";

test("an address says what is searched", () => {
  assert.deepEqual(readQuery("?q=via+field&type=plugin"), { q: "via field", type: "plugin" });
  assert.deepEqual(readQuery(""), { q: "", type: undefined });
});

test("what the server would refuse is never asked", () => {
  assert.deepEqual(readQuery("?q=%20%20&type=toString"), { q: "", type: undefined });
  assert.equal(readQuery(`?q=${"x".repeat(500)}`).q.length, 200);
});

test("a change keeps the other parameters, and takes away what is empty", () => {
  const address = "http://localhost:8790/packages?q=via&tool=9.0&platform=linux";
  assert.equal(withParameters(address, { q: "", type: "library" }), "/packages?tool=9.0&platform=linux&type=library");
  assert.equal(withParameters(address, { tool: undefined, platform: undefined }), "/packages?q=via");
});

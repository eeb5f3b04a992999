import assert from "node:assert/strict";
import { test } from "node:test";
import { meansSearch } from "./search-key.ts";

test("a slash opens the search, except while typing", () => {
  const slash = { key: "/", ctrlKey: false, metaKey: false, altKey: false, defaultPrevented: false };
  assert.equal(meansSearch(slash, { tagName: "BODY" }), true);
  assert.equal(meansSearch(slash, null), true);
  assert.equal(meansSearch({ ...slash, ctrlKey: true }, { tagName: "BODY" }), false);
  assert.equal(meansSearch({ ...slash, key: "x" }, { tagName: "BODY" }), false);
  for (const tagName of ["INPUT", "TEXTAREA", "SELECT"]) assert.equal(meansSearch(slash, { tagName }), false);
  assert.equal(meansSearch(slash, { tagName: "DIV", isContentEditable: true }), false);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOfKind } from "./name-of-kind.ts";

test("a kind reads as a name", () => {
  assert.equal(nameOfKind("workcell-power"), "Workcell power");
});

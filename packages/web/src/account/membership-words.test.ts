import assert from "node:assert/strict";
import { test } from "node:test";
import { membershipWords } from "./membership-words.ts";

const owner = (name: string) => ({ name, role: "owner" });
const member = (name: string) => ({ name, role: "member" });

test("whom one belongs to is told in one line", () => {
  assert.equal(membershipWords([]), "");
  assert.equal(membershipWords([member("fieldworks")]), "member of fieldworks");
  assert.equal(membershipWords([member("a"), member("b"), member("c")]), "member of a, b and c");
  assert.equal(membershipWords([member("lab"), owner("fieldworks")]), "owner of fieldworks, member of lab");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { User } from "@backplane/contract/accounts";
import type { Answer } from "../calls/call.ts";
import { initials, membershipWords, whoFrom } from "./who.ts";

const user = { name: "owner" } as User;
const good = <T>(value: T): Answer<T> => ({ ok: true, value, serverTimeMs: undefined });
const bad = (status: number): Answer<never> => ({
  ok: false,
  fault: { status, code: "", title: "", detail: undefined, errors: [], retryAfterS: undefined },
});
const offered = good({ open_registration: false });

test("someone the server knows is signed in, anyone else is signed out", () => {
  assert.deepEqual(whoFrom(offered, good(user)), { is: "in", user });
  assert.deepEqual(whoFrom(offered, bad(401)), { is: "out" });
  assert.deepEqual(whoFrom(offered, undefined), { is: "out" });
});

test("nobody is signed out because the server failed to answer", () => {
  assert.deepEqual(whoFrom(bad(0), bad(0)), { is: "silent" });
  assert.deepEqual(whoFrom(offered, bad(503)), { is: "silent" });
});

test("an avatar has two letters", () => {
  assert.equal(initials("owner"), "OW");
  assert.equal(initials("Ada Byron King"), "AB");
  assert.equal(initials("bench-agent"), "BA");
  assert.equal(initials("x"), "X");
  assert.equal(initials(""), "");
});

const owner = (name: string) => ({ name, role: "owner" });
const member = (name: string) => ({ name, role: "member" });

test("memberships are shown in one line", () => {
  assert.equal(membershipWords([]), "");
  assert.equal(membershipWords([member("fieldworks")]), "member of fieldworks");
  assert.equal(membershipWords([member("a"), member("b"), member("c")]), "member of a, b and c");
  assert.equal(membershipWords([member("lab"), owner("fieldworks")]), "owner of fieldworks, member of lab");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { VIEWER_LIMITS } from "@backplane/contract/viewer";
import { nameFromTitle } from "./name-from-title.ts";

test("a title becomes a name, with its time and without secrets", () => {
  assert.equal(nameFromTitle("Störung: Rail (sandbox) 2026-11-16 23:55"), "storung-rail-sandbox-2026-11-16-23-55");
  assert.equal(nameFromTitle("bench password: hunter2 docs"), "bench-password");
  assert.equal(nameFromTitle("mail me@example.org ghp_16C7e42F292c6912E7710c838347Ae178B4a"), "mail");
  assert.equal(nameFromTitle("sp-2026"), "2026");
  assert.equal(nameFromTitle("电压"), undefined);
  assert.ok((nameFromTitle("long ".repeat(50))?.length ?? 0) <= VIEWER_LIMITS.maxNameCharacters);
});

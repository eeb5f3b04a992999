import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readOrMakeToken } from "./token-file.ts";

function tokenFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "token-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, "home", "watchdog-token");
}

test("the token is made at the first start, for its owner only, and kept from then on", (t) => {
  const path = tokenFile(t);
  const token = readOrMakeToken(path, "watchdog", randomBytes);
  assert.match(token, /^tok_watchdog_[\w-]{43}$/);
  assert.equal(readFileSync(path, "utf8"), `${token}\n`);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(readOrMakeToken(path, "watchdog", randomBytes), token);
});

test("a file that others could read is closed again", (t) => {
  const path = tokenFile(t);
  readOrMakeToken(path, "watchdog", randomBytes);
  chmodSync(path, 0o644);
  readOrMakeToken(path, "watchdog", randomBytes);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test("a token that its owner chose is taken; one that could be guessed, or none, is made anew", (t) => {
  const path = tokenFile(t);
  readOrMakeToken(path, "watchdog", randomBytes);
  const chosen = "a-token-that-somebody-has-chosen-himself";
  writeFileSync(path, `${chosen}\n`);
  assert.equal(readOrMakeToken(path, "watchdog", randomBytes), chosen);
  for (const text of ["", "secret\n"]) {
    writeFileSync(path, text);
    assert.match(readOrMakeToken(path, "watchdog", randomBytes), /^tok_watchdog_/);
  }
});

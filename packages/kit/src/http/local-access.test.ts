import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { hostNameOf, isLoopbackAddress, isLoopbackHost, readOrMakeToken } from "./local-access.ts";

test("loopback is 127.0.0.0/8 and ::1, and no other address", () => {
  for (const address of ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "0:0:0:0:0:0:0:1"])
    assert.ok(isLoopbackAddress(address), address);
  for (const address of [
    "0.0.0.0",
    "128.0.0.1",
    "10.0.0.1",
    "::",
    "::2",
    "fe80::1",
    "::ffff:10.0.0.1",
    "localhost",
    "",
  ])
    assert.ok(!isLoopbackAddress(address), address);
});

test("a loopback host is localhost, a name that ends in .localhost, or a loopback address, with or without a port", () => {
  for (const name of [
    "localhost",
    "LOCALHOST:1",
    "localhost.",
    "a.b.localhost:65535",
    "127.0.0.2:80",
    "[::1]",
    "[::1]:8796",
  ])
    assert.ok(isLoopbackHost(name), name);
  for (const name of [
    "",
    "localhost.example",
    "notlocalhost",
    "::1",
    "localhost:8796:1",
    "a@localhost",
    "localhost/",
    "127.1",
  ])
    assert.ok(!isLoopbackHost(name), name);
});

test("the host of a Host header is its name or address, without port, brackets and capitals", () => {
  for (const [header, host] of [
    ["LocalHost:8770", "localhost"],
    ["localhost.", "localhost"],
    ["[::1]:8770", "::1"],
    ["viewer.example", "viewer.example"],
    ["a b", undefined],
    ["", undefined],
  ] as const)
    assert.equal(hostNameOf(header), host, header);
});

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

test("a token file that others could read is made private again", (t) => {
  const path = tokenFile(t);
  readOrMakeToken(path, "watchdog", randomBytes);
  chmodSync(path, 0o644);
  readOrMakeToken(path, "watchdog", randomBytes);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test("a token that its owner chose is used; a missing or guessable one is replaced", (t) => {
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

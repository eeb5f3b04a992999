import assert from "node:assert/strict";
import { test } from "node:test";
import { ERRORS, type ErrorCode, EXIT, exitCodeOf, isErrorCode, isProblemCode } from "./problems.ts";

const CODES = Object.keys(ERRORS) as ErrorCode[];

test("every code is kebab-case and has a title without a full stop", () => {
  for (const code of CODES) {
    assert.match(code, /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
    assert.match(ERRORS[code][1], /^[A-Z].*[^.]$/, code);
  }
});

test("0 done, 1 failed, 2 wrong usage or settings, 3 not reachable, 4 not allowed, 5 not found, 6 conflict or refused by policy, 130 interrupted", () => {
  assert.deepEqual(Object.values(EXIT), [0, 1, 2, 3, 4, 5, 6, 130]);
  const expected: [ErrorCode, number][] = [
    ["internal-error", 1],
    ["invalid-option", 2],
    ["bad-settings", 2],
    ["invalid-input", 2],
    ["unreachable", 3],
    ["gateway-unreachable", 3],
    ["watchdog-unreachable", 3],
    ["http-status", 3],
    ["database-unavailable", 3],
    ["not-signed-in", 4],
    ["owner-only", 4],
    ["intent-denied", 4],
    ["package-unknown", 5],
    ["repository-unknown", 5],
    ["paste-gone", 5],
    ["version-exists", 6],
    ["file-changed", 6],
    ["too-many-requests", 6],
    ["archive-refused", 6],
    ["wrong-sha256", 6],
    ["aborted", 130],
  ];
  for (const [code, exit] of expected) assert.equal(exitCodeOf(code), exit, code);
});

test("no error ends a command as if it were done", () => {
  for (const code of CODES) assert.notEqual(exitCodeOf(code), EXIT.done, code);
});

test("a server answers only with codes that have a status", () => {
  assert.equal(isProblemCode("not-found"), true);
  assert.equal(isProblemCode("gateway-unreachable"), false);
  assert.equal(isErrorCode("gateway-unreachable"), true);
  for (const text of ["made-up", "toString", 404, undefined]) assert.equal(isErrorCode(text), false);
});

import assert from "node:assert/strict";
import { it } from "node:test";
import { NAME_PATTERN } from "@backplane/contract/viewer";
import { Problem } from "@backplane/kit/problems";
import fc from "fast-check";
import { parseName } from "./parse-name.ts";
import { numbered } from "./storage/file-names.ts";

it("case, spaces, accents, sizes and file extensions of a typed name do not matter", () => {
  const read = {
    "  Login Dialog ": "login-dialog",
    login_dialog: "login-dialog",
    "login--dialog-": "login-dialog",
    "Login.PNG": "login",
    "login-1568x980.png": "login",
    "login-2-2880x1800-original.png": "login-2",
    "Café menü": "cafe-menu",
    "Zürich 10 µV – 4 kΩ": "zurich-10-uv-4-kohm",
    "3d-view": "3d-view",
    sp: "sp",
    "sp-ice-model": "sp-ice-model",
    concert: "concert",
  };
  for (const [typed, name] of Object.entries(read)) assert.equal(parseName(typed), name);
});

it("a name that files cannot have is refused, and the error names the field", () => {
  const long = "a".repeat(61);
  for (const typed of [
    "",
    "  ",
    "-",
    ".png",
    "../up",
    "a/b",
    "a\\b",
    "a.b",
    "日本",
    "con",
    "NUL.png",
    "lpt1",
    "a\0b",
    long,
  ]) {
    assertRefused(typed);
  }
  for (const typed of ["sp-20261115", "sp-1", "x".repeat(100_000), 5, null, undefined, {}, ["login"]])
    assertRefused(typed);
});

function assertRefused(typed: unknown): void {
  const problem = parseName(typed);
  assert.ok(problem instanceof Problem, `${typed}`);
  assert.equal(problem.code, "invalid-input");
  assert.equal(problem.errors?.[0]?.pointer, "/name");
}

it("a number is added before the size, and a name never has more than 60 characters", () => {
  assert.equal(numbered("login", 2), "login-2");
  assert.equal(numbered("a".repeat(60), 1_000), `${"a".repeat(55)}-1000`);
  assert.equal(numbered(`${"a".repeat(57)}-bc`, 2), `${"a".repeat(57)}-2`);
});

it("whatever is typed, the result is a valid name", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), (typed) => {
      const name = parseName(typed);
      if (name instanceof Problem) return;
      assert.match(name, new RegExp(NAME_PATTERN));
      assert.equal(parseName(name), name);
    }),
  );
});

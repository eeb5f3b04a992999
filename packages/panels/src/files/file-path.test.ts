import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "@backplane/kit/problems";
import { checkPath, expectPath, isListed } from "./file-path.ts";

const refused: Record<string, string> = {
  "nothing at all": "",
  "a root": "/etc/passwd",
  "the folder above": "../secret",
  "the folder above, inside": "a/../../secret",
  "the folder itself": "a/./b",
  "an empty part": "a//b",
  "an empty end": "a/",
  "a NUL": "a\0b",
  "a line": "a\nb",
  "a C1 control character": "a\u0085b",
  "a direction mark": "a\u202efdp.js",
  "half a surrogate pair": "a\ud800",
  "another system's separator": "a\\b",
  "a drive": "C:/a",
  "an alternate data stream": "a.txt:hidden",
  "a hidden folder": ".git/config",
  "a hidden file": "a/.env",
  "a dot at the end": "a.",
  "a space at the end": "a /b",
  "a space at the start": " a",
  "a device": "con",
  "a device with an ending": "a/LPT1.txt",
  "a device with a superscript digit": "com¹.log",
  "a star": "a*.js",
  "too many folders": Array.from({ length: 21 }, () => "a").join("/"),
  "too many characters": `${"a/".repeat(9)}${"b".repeat(500)}`,
  "a part of too many bytes": "ä".repeat(200),
};

for (const [what, path] of Object.entries(refused)) {
  test(`a path is refused: ${what}`, () => {
    assert.equal(checkPath(path).ok, false);
    assert.throws(
      () => expectPath(path),
      (error) =>
        error instanceof Problem && error.code === "file-name-refused" && error.errors?.[0]?.pointer === "/path",
    );
  });
}

test("a path that every system can store is accepted, in one spelling", () => {
  const composed = "B\u00fccher/na\u00efve.ts";
  assert.deepEqual(checkPath(composed.normalize("NFD")), {
    ok: true,
    path: composed,
    parts: ["B\u00fccher", "na\u00efve.ts"],
  });
  for (const path of [
    "a",
    "a b/c-d_e.test.ts",
    "console.js",
    "common/x",
    "icons/😀.png",
    Array.from({ length: 20 }, () => "a").join("/"),
  ]) {
    assert.equal(checkPath(path).ok, true, path);
  }
});

test("a listing leaves out folders of tools and names that could not be requested", () => {
  for (const name of [".git", "node_modules", ".env", "a\u0308.txt", "nul", "a:b"])
    assert.equal(isListed(name), false, name);
  for (const name of ["src", "screenshots", "\u00e4.txt"]) assert.equal(isListed(name), true, name);
});

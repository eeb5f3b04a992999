import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ERRORS, EXIT } from "@backplane/contract/problems";
import { LINT_RULES } from "./metadata/lint/lint.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const guide = read("../../../docs/guides/packages.md");
const section = (heading: string) => guide.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";

test("the guide lists exactly the rules of the linter", () => {
  const listed = [...section("What validate finds").matchAll(/^\| `([a-z0-9-]+)` \| (\w+) \| (.*) \|$/gm)];
  assert.deepEqual(
    listed.map(([, rule, level, words]) => [rule, level, words]),
    Object.entries(LINT_RULES).map(([rule, [level, words]]) => [rule, level, words]),
  );
});

test("the guide sets the token before the line that uses it", () => {
  const text = section("Publish it");
  const set = text.indexOf("export BACKPLANE_TOKEN");
  assert.ok(set > 0 && set < text.indexOf("$BACKPLANE_TOKEN"));
});

test("the guide lists exactly the exit codes", () => {
  const listed = [...section("Exit codes").matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  assert.deepEqual(listed, Object.values(EXIT));
});

test("the problem codes in the guide exist, with the same status", () => {
  const listed = [...section("Over HTTP").matchAll(/^\| (\d{3}) \| (.*?) \|/gm)];
  assert.ok(listed.length >= 6);
  for (const [, status, codes = ""] of listed) {
    for (const [, code] of codes.matchAll(/`([a-z-]+)`/g)) {
      assert.equal(ERRORS[code as keyof typeof ERRORS][0], Number(status), code);
    }
  }
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

/** A quote begins at the margin. */
const withoutIndent = (code: string) => code.replace(/^ +/gm, "");

const quotesOf = (text: string) => [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => withoutIndent(code));

test("guide and README quote the example as it is", () => {
  const example = withoutIndent(read("../../../../examples/sign-in/program.ts"));
  const guide = quotesOf(read("../../../../docs/guides/sign-in.md"));
  assert.equal(guide.length, 2);
  const readme = quotesOf(read("../../README.md")).filter((quote) => quote.includes("signIn("));
  assert.equal(readme.length, 1);
  for (const quote of [...guide, ...readme])
    for (const line of quote.split("\n")) assert.ok(example.includes(line), line);
});

test("the README lists every code of a SignInError, and no other", () => {
  const known = [...read("errors.ts").matchAll(/^ {2}\| "([a-z-]+)"/gm)].map(([, code]) => code);
  const [, section = ""] = read("../../README.md").split("| code of a `SignInError` |");
  const listed = [...(section.split("\n## ")[0] ?? "").matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, code]) => code);
  assert.ok(known.length > 10);
  assert.deepEqual(listed.sort(), known.sort());
});

test("the problem codes of the guide are ones that Backplane has", () => {
  const problems = read("../../../kit/src/problems.ts");
  const [, section = ""] = read("../../../../docs/guides/sign-in.md").split("\n## Errors\n");
  const listed = [...section.matchAll(/^\| (\d{3}) \| (.*?) \|/gm)];
  assert.ok(listed.length >= 10);
  for (const [, status, codes = ""] of listed) {
    for (const [, code] of codes.matchAll(/`([a-z-]+)`/g)) assert.ok(problems.includes(`"${code}": [${status},`), code);
  }
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

/** A quote begins at the margin. */
const withoutIndent = (code: string) => code.replace(/^ +/gm, "");

test("the guide quotes the example as it is", () => {
  const example = ["connection.ts", "service.ts"].map((name) => read(`../../../examples/connect-service/${name}`));
  const guide = read("../../../docs/guides/connect.md");
  const quotes = [...guide.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => withoutIndent(code));
  assert.ok(quotes.length >= 5);
  for (const quote of quotes) assert.ok(withoutIndent(example.join("\n")).includes(quote), quote);
});

test("the README lists every error code, and no other", () => {
  const known = [...read("errors.ts").matchAll(/^ {2}\| "([a-z-]+)"/gm)].map(([, code]) => code);
  const [, errors = ""] = read("../README.md").split("\n## Errors\n");
  const listed = [...errors.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, code]) => code);
  assert.ok(known.length > 10);
  assert.deepEqual(listed.sort(), known.sort());
});

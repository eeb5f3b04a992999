import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ERRORS, isErrorCode } from "@backplane/contract/problems";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

/** Quotes in the documents are not indented. */
const withoutIndent = (code: string) => code.replace(/^ +/gm, "");

const quotesOf = (text: string) => [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => withoutIndent(code));

test("the guide to connecting quotes the example unchanged", () => {
  const example = ["connection.ts", "service.ts"].map((name) => read(`../../../examples/connect-service/${name}`));
  const quotes = quotesOf(read("../../../docs/guides/connect.md"));
  assert.ok(quotes.length >= 5);
  for (const quote of quotes) assert.ok(withoutIndent(example.join("\n")).includes(quote), quote);
});

test("the guide to signing in and the README quote the example unchanged", () => {
  const example = withoutIndent(read("../../../examples/sign-in/program.ts"));
  const guide = quotesOf(read("../../../docs/guides/sign-in.md"));
  assert.equal(guide.length, 2);
  const readme = quotesOf(read("../README.md")).filter((quote) => quote.includes("signIn("));
  assert.equal(readme.length, 1);
  for (const quote of [...guide, ...readme])
    for (const line of quote.split("\n")) assert.ok(example.includes(line), line);
});

test("the README installs the tarball of this version", () => {
  const { name, version } = JSON.parse(read("../package.json")) as { name: string; version: string };
  const tarball = `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
  const [, install = ""] = /```sh\n(.*?)```/s.exec(read("../README.md")) ?? [];
  assert.match(install, /^npm run pack:sdk /);
  assert.equal(install.split(tarball).length, 3, install);
});

/** The codes in a union of errors.ts. */
function codesOf(name: string): string[] {
  const [, union = ""] = read("errors.ts").match(new RegExp(`export type ${name} = Known<(.*?)>;`, "s")) ?? [];
  const own = [...union.matchAll(/"([a-z-]+)"/g)].map(([, code = ""]) => code);
  return union.includes("CallErrorCode") ? [...codesOf("CallErrorCode"), ...own] : own;
}

for (const name of ["OAuthError", "SignInError", "CallError"]) {
  test(`the README lists exactly the codes of ${name}`, () => {
    const [, section = ""] = read("../README.md").split(`| code of \`${name}\` |`);
    const listed = [...(section.split("\n\n")[0] ?? "").matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, code = ""]) => code);
    const known = codesOf(`${name}Code`);
    assert.ok(known.length >= 7);
    assert.deepEqual(listed.sort(), known.sort());
  });
}

test("the problem codes of the guide to signing in are ones that Backplane has", () => {
  const [, section = ""] = read("../../../docs/guides/sign-in.md").split("\n## Errors\n");
  const listed = [...section.matchAll(/^\| (\d{3}) \| (.*?) \|/gm)];
  assert.ok(listed.length >= 10);
  for (const [, status, codes = ""] of listed) {
    for (const [, code] of codes.matchAll(/`([a-z-]+)`/g)) {
      assert.ok(isErrorCode(code), code);
      assert.equal(ERRORS[code][0], Number(status), code);
    }
  }
});

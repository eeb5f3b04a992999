import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { builtProgram } from "../packages/cli/bin/built.js";

const BUILT_AT_S = 1_700_000_000;

/** A checkout whose files are older than its build, but for those that `touch` names. */
function checkout(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), "backplane-checkout-"));
  t.after(() => rmSync(root, { recursive: true }));
  const write = (path: string, afterBuildS: number, text = "") => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    utimesSync(join(root, path), BUILT_AT_S + afterBuildS, BUILT_AT_S + afterBuildS);
  };
  for (const path of ["packages/kit/src/a/b.ts", "packages/web/src/app.tsx", "package-lock.json"]) write(path, -10);
  for (const path of ["scripts/build-programs.ts", "scripts/packing/quick-start.ts"]) write(path, -10);
  write("dist/current", 0, "abc");
  return { root, touch: (path: string) => write(path, 10) };
}

test("a program runs from its build while nothing that it was built from is newer", (t) => {
  const { root, touch } = checkout(t);
  assert.equal(builtProgram("cli", root), join(root, "dist/abc/cli.js"));
  for (const path of ["packages/kit/src/a/b.test.ts", "packages/kit/src/laws.suite.ts", "packages/web/src/app.tsx"]) {
    touch(path);
    assert.equal(builtProgram("cli", root), join(root, "dist/abc/cli.js"), path);
  }
});

const SOURCES = [
  "packages/kit/src/a/b.ts",
  "packages/kit/src/page/new.css",
  "package-lock.json",
  "scripts/packing/a.ts",
];
for (const path of SOURCES) {
  test(`a program runs from source after a change of ${path}`, (t) => {
    const { root, touch } = checkout(t);
    touch(path);
    assert.equal(builtProgram("cli", root), undefined);
  });
}

test("a program runs from source before the first build", (t) => {
  const { root } = checkout(t);
  rmSync(join(root, "dist"), { recursive: true });
  assert.equal(builtProgram("cli", root), undefined);
});

test("a package that npm installed runs its build, though npm makes all files at the time of the install", (t) => {
  const { root, touch } = checkout(t);
  rmSync(join(root, "package-lock.json"));
  rmSync(join(root, "scripts"), { recursive: true });
  touch("packages/kit/src/page/tokens.css");
  assert.equal(builtProgram("cli", root), join(root, "dist/abc/cli.js"));
});

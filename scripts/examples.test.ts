import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { findOlderNode } from "../packages/sdk/src/testing/older-node.ts";
import { findExamples } from "./examples.ts";
import { root } from "./testing/files.ts";

const files = globSync("examples/*/*.ts", { cwd: root });
const read = (file: string) => readFileSync(join(root, file), "utf8");

test("each example that can be run says how in its first line", () => {
  const programs = files.filter((file) => file.endsWith("/main.ts") || /process\.argv|parseArgs/.test(read(file)));
  assert.ok(programs.length >= 9);
  const named = findExamples().map(({ name, file }) => [name, relative(root, file)] as const);
  assert.deepEqual(named.map(([, file]) => file).sort(), programs.sort());
  for (const [name, file] of named) {
    assert.equal(file, name.includes("/") ? `examples/${name}.ts` : `examples/${name}/main.ts`);
  }
});

test("npm run example lists the examples, on the Node that the README asks for", () => {
  const node = findOlderNode() ?? process.execPath;
  const args = [join(root, "scripts/run.mjs"), join(root, "scripts/run-example.ts")];
  const { status, stdout, stderr } = spawnSync(node, args, { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  const listed = findExamples().map(({ how }) => how);
  assert.deepEqual(stdout.trim().split("\n"), listed);
});

/** They start our own processes and a provider, and draw pictures. What finds browsers and databases also installs them. */
const ALLOWED = [
  "e2e/support/gateway.ts",
  "e2e/support/platform.ts",
  "e2e/support/provider.ts",
  "e2e/support/viewer.ts",
  "scripts/packing/drop-unused-schemas.ts",
  "scripts/programs.ts",
];

test("no example uses what installs system packages", () => {
  const imports = files.flatMap((file) => [...read(file).matchAll(/ from "\.\.\/\.\.\/([^"]+)"/g)]);
  const used = new Set(imports.map(([, path = ""]) => path));
  assert.deepEqual([...used].sort(), ALLOWED);
});

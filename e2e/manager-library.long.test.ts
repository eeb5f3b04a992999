import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scratchFolder } from "../packages/sdk/src/testing/scratch.ts";
import { ROOT } from "./support/backplane.ts";

/** Third-party code: builds a repository from a package and installs it from there. */
const PROGRAM = `
import { buildRepository, packFolder } from "@backplane/registry/authoring";
import { openManager } from "@backplane/registry/manager";
import { pathToFileURL } from "node:url";

const [source, work] = process.argv.slice(2);
const packed = await packFolder(source, work + "/package.zip");
if ("refusal" in packed) throw new Error(packed.refusal.message);
const baseUrl = pathToFileURL(work + "/static").href;
const options = { from: [work + "/package.zip"], out: work + "/static", name: "Mine", brand: "tool", baseUrl };
const built = await buildRepository({ ...options, now: Date.now });
if ("faults" in built) throw new Error(JSON.stringify(built.faults));
const tool = { version: "9.0", platform: "linux", runtimes: ["swig", "ipc"] };
const manager = await openManager({ root: work + "/root", brand: "tool", tool, fetch, now: Date.now });
await manager.repositories.add(baseUrl + "/repository.json");
const [outcome] = await manager.install("com.example.stackup-checker");
const [verified] = await manager.verify();
await manager.close();
console.log(JSON.stringify({ state: outcome.state, fault: outcome.fault, missing: verified?.missing }));
`;

test("the published package manager works without the rest of Backplane", () => {
  using folder = scratchFolder();
  const modules = join(folder.path, "node_modules");
  const built = join(modules, "@backplane/registry");
  mkdirSync(built, { recursive: true });
  const registry = join(ROOT, "packages/registry");
  const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: folder.path, encoding: "utf8" });
  node(join(ROOT, "scripts/packing/pack.ts"), registry, built);

  const { dependencies, exports } = JSON.parse(readFileSync(join(built, "package.json"), "utf8"));
  // Checks of metadata need the list of licences that SPDX knows: data only, without code.
  const needed = ["ajv", "spdx-license-ids", "typebox", "yauzl"];
  assert.deepEqual(Object.keys(dependencies), needed, "no server code is needed");
  assert.deepEqual(Object.keys(exports), ["./manager", "./authoring"]);
  for (const name of Object.keys(dependencies)) symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  assert.ok(existsSync(join(built, "repository/building/take-archives-thread.js")));

  writeFileSync(join(folder.path, "package.json"), '{"type":"module"}');
  writeFileSync(join(folder.path, "program.js"), PROGRAM);
  const source = join(ROOT, "examples/publish-a-package/stackup-checker");
  assert.deepEqual(JSON.parse(node("program.js", source, folder.path)), { state: "done", missing: [] });
  assert.ok(existsSync(join(folder.path, "root/plugins/com_example_stackup-checker/stackup_checker.py")));
});

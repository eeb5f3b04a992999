import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { inspectArchive, lintPackage, readPackage } from "@backplane/registry/authoring";
import { runLineHere } from "../run-here.suite.ts";

function openFolder(t: TestContext) {
  const cwd = mkdtempSync(join(tmpdir(), "init-"));
  t.after(() => rmSync(cwd, { recursive: true }));
  const run = (args: readonly string[], answers: readonly string[] = []) => {
    const input = Buffer.from(answers.map((answer) => `${answer}\n`).join(""));
    return runLineHere({ cwd, env: {}, input }, ["pkg", ...args]);
  };
  return { cwd, run, metadata: (folder: string) => readFileSync(join(cwd, folder, "metadata.json"), "utf8") };
}

const NAMED = ["--identifier", "com.example.router", "--description", "Routes.", "--author", "Ada"];

test("init writes complete metadata from the answers: nothing is wrong with it, and the folder can be packed", async (t) => {
  const { cwd, run, metadata } = openFolder(t);
  const answers = [
    ...["com.example.stackup-checker", "", "Compares layer stacks.", "Compares them with what the fab offers.", ""],
    ...["Ada", "ada@example.org", "", "https://example.org/checker", "impedance fabrication", "8.0"],
  ];
  const { status, stdout, stderr } = await run(["init", "checker"], answers);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /checker\/metadata\.json is written/);
  const text = metadata("checker");
  assert.deepEqual(JSON.parse(text), {
    name: "Stackup checker",
    description: "Compares layer stacks.",
    description_full: "Compares them with what the fab offers.",
    identifier: "com.example.stackup-checker",
    type: "plugin",
    author: { name: "Ada", contact: { email: "ada@example.org" } },
    license: "MIT",
    resources: { homepage: "https://example.org/checker" },
    tags: ["impedance", "fabrication"],
    versions: [{ version: "1.0.0", status: "stable", tool_version: "8.0" }],
  });
  const read = readPackage(text);
  assert.ok("package" in read);
  assert.deepEqual(lintPackage(text, read.package), []);
  mkdirSync(join(cwd, "checker/plugins"));
  writeFileSync(join(cwd, "checker/plugins/checker.py"), "print()\n");
  const packed = await run(["pack", join(cwd, "checker"), "--out", join(cwd, "checker.zip")]);
  assert.equal(packed.status, 0, packed.stderr);
  assert.ok("archive" in (await inspectArchive(join(cwd, "checker.zip"))));
});

test("an answer that publishing would refuse is asked for again, with the reason", async (t) => {
  const { run, metadata } = openFolder(t);
  const { status, stderr } = await run(
    ["init", "--author", "Ada"],
    ["com.example.router!", "com.example.router", "Router", "", "Routes.", "", "Gadget!", "library"],
  );
  assert.equal(status, 0, stderr);
  assert.match(stderr, /"com\.example\.router!" must be 2 to 100 letters/);
  assert.match(stderr, /"Gadget!" must/);
  const { identifier, type, license, description } = JSON.parse(metadata("."));
  assert.deepEqual([identifier, type, license, description], ["com.example.router", "library", "MIT", "Routes."]);
});

test("options replace questions, and with --yes nothing is asked", async (t) => {
  const { run, metadata } = openFolder(t);
  const { status, stderr } = await run([
    "init",
    "a",
    ...NAMED,
    "--yes",
    "--brand",
    "kicad",
    "--keep-on-update",
    "[.]ini$",
  ]);
  assert.deepEqual([status, stderr], [0, ""]);
  const { versions, keep_on_update } = JSON.parse(metadata("a"));
  assert.deepEqual(versions, [{ version: "1.0.0", status: "stable", kicad_version: "9.0" }]);
  assert.deepEqual(keep_on_update, ["[.]ini$"]);
  const missing = await run(["init", "b", "--yes", "--json"]);
  assert.equal(missing.status, 2);
  assert.match(JSON.parse(missing.stdout).error.message, /--identifier, .*--description.*--author/);
  const wrong = await run(["init", "b", ...NAMED, "--yes", "--tool", "nine"]);
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /--tool "nine" must be a tool version such as 9/);
});

test("metadata that is there is never overwritten", async (t) => {
  const { cwd, run, metadata } = openFolder(t);
  writeFileSync(join(cwd, "metadata.json"), "mine");
  const { status, stderr } = await run(["init", ...NAMED, "--yes"]);
  assert.equal(status, 2);
  assert.match(stderr, /metadata\.json already exists/);
  assert.equal(metadata("."), "mine");
});

// npm run example publish-a-package: runs the guide's commands unchanged against a Backplane, and asserts the results.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
// A stand-in for what you already have: the platform of a running Backplane, and the command.
import { startPlatform } from "../../e2e/support/platform.ts";
import { programOf } from "../../scripts/programs.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

await using platform = await startPlatform();
const baseUrl = platform.pages;
const { api_key: token } = JSON.parse(readFileSync(join(platform.home, "owner.json"), "utf8"));
const folder = mkdtempSync(join(tmpdir(), "publish-a-package-"));
using _clean = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };

const installed = (root: string) => join(folder, root, "plugins/com_example_stackup-checker");
const profile = join(installed("packages"), "profiles/four-layers.json");

/** Runs the commands below these headings in one shell, with the `backplane` of this clone. */
function run(...headings: string[]): string {
  const sections = readFileSync(here("../../docs/guides/packages.md"), "utf8").split(/^## /m);
  const blocks = headings.flatMap((heading) => {
    const section = sections.find((candidate) => candidate.startsWith(`${heading}\n`)) ?? "";
    const found = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block);
    assert.ok(found.length > 0, `the guide has commands under "${heading}"`);
    return found;
  });
  const command = `backplane() { '${process.execPath}' '${programOf("cli")}' "$@"; }`;
  const script = [command, ...blocks].join("\n");
  const env = {
    ...process.env,
    ...{ BASE_URL: baseUrl, BACKPLANE_TOKEN: token, BACKPLANE_PKG_ROOT: join(folder, "packages"), HOME: folder },
  };
  const { status, stdout, stderr } = spawnSync("sh", ["-eu", "-c", script], { cwd: folder, env, encoding: "utf8" });
  assert.equal(status, 0, `${stdout}\n${stderr}`);
  return stdout;
}

const published = run("Write a package", "Publish it");
assert.match(published, /com\.example\.stackup-checker 1\.0\.0 is published as stable/);
console.log("Written, checked and published.");

const first = run("Install and update");
assert.match(first, /would be installed, 2 files/);
assert.ok(existsSync(join(installed("packages"), "stackup_checker.py")));
appendFileSync(profile, " \n");
run("Verify, repair, pin");
assert.match(readFileSync(profile, "utf8"), /\n \n$/, "the changed file is kept");
console.log("Installed, verified; a changed profile was kept.");

run("Lock files, bundles, mirrors, static repositories");
for (const root of ["elsewhere", "offline"]) assert.ok(existsSync(join(installed(root), "stackup_checker.py")), root);
for (const root of ["mirrored", "static"]) assert.ok(existsSync(join(folder, root, "repository.json")), root);
console.log("Locked, bundled, mirrored, built.");

run("Clean up");
const left = readdirSync(folder).filter((name) => name !== "packages" && !name.startsWith("."));
assert.deepEqual(left, [], "the guide removes what it made");
console.log("Cleaned up.");

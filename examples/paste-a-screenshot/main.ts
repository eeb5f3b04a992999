// npm run example paste-a-screenshot: runs the guide's commands unchanged, then a program that waits for a screenshot
// over MCP, and asserts their results.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
// A stand-in for what you already have: screenshots.
import { pictureWithText } from "../../e2e/support/viewer.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "paste-a-screenshot-"));
using _clean = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
writeFileSync(join(folder, "scope.png"), await pictureWithText("Reflow oven profile", 2_400, 1_200));
writeFileSync(join(folder, "rail.png"), await pictureWithText("Supply rail undervoltage", 900, 600));

const env = { ...process.env, HOME: folder, BACKPLANE_HOME: join(folder, "home") };
const cli = here("../../packages/cli/bin/backplane.js");
const guide = readFileSync(here("../../docs/guides/viewer.md"), "utf8");
// The boxes before that take a picture, which needs a Backplane and a browser.
const [, section = ""] = guide.split("\n## From a terminal or a script\n");
const blocks = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block);
assert.ok(blocks.length >= 1, "the guide has commands");
const command = `backplane() { '${process.execPath}' '${cli}' "$@"; }`;
const script = [command, ...blocks].join("\n");
const ran = spawnSync("sh", ["-eu", "-c", script], { cwd: folder, env, encoding: "utf8" });
assert.equal(ran.status, 0, `${ran.stdout}\n${ran.stderr}`);
assert.match(ran.stdout, /screenshots\/sp\/reflow-oven-profile-1568x784\.png/);
const visible = () => readdirSync(join(folder, "screenshots/sp")).filter((name) => !name.startsWith("."));
assert.deepEqual(visible().sort(), ["oven-rev-c-1568x784.png", "oven-rev-c-2400x1200-original.png"]);
console.log("The guide's commands work.");

const program = spawnSync(process.execPath, [here("wait-for-a-paste.ts"), "rail.png"], {
  cwd: folder,
  env,
  encoding: "utf8",
});
assert.equal(program.status, 0, `${program.stdout}\n${program.stderr}`);
assert.match(program.stdout, /supply-rail-undervoltage/);
assert.ok(visible().includes("supply-rail-undervoltage-900x600.png"));
console.log("A program waited for a screenshot over MCP and read its text.");

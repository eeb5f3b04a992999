// npm run example drive-a-workspace: runs the guide's commands unchanged, then the program, and asserts their results.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openWorkspace } from "@backplane/sdk";
// A stand-in for what you already have: the platform of a running Backplane, and the command.
import { startPlatform } from "../../e2e/support/platform.ts";
import { programOf } from "../../scripts/programs.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

await using platform = await startPlatform();
const baseUrl = platform.pages;
const { name: owner, api_key: token } = JSON.parse(readFileSync(join(platform.home, "owner.json"), "utf8"));
const folder = mkdtempSync(join(tmpdir(), "drive-a-workspace-"));
using _clean = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
const env = { ...process.env, BASE_URL: baseUrl, BACKPLANE_TOKEN: token, WORKSPACE_OWNER: owner, HOME: folder };

const guide = readFileSync(here("../../docs/guides/panels.md"), "utf8");
const blocks = [...guide.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block);
assert.ok(blocks.length >= 6, "the guide has commands");
const command = `backplane() { '${process.execPath}' '${programOf("cli")}' "$@"; }`;
const script = [command, ...blocks].join("\n");
const { status, stdout, stderr } = spawnSync("sh", ["-eu", "-c", script], { cwd: folder, env, encoding: "utf8" });
assert.equal(status, 0, `${stdout}\n${stderr}`);
assert.match(stdout, /Queued as /);
assert.match(stdout, /24 V rail at 22\.9 V during step/);
const main = openWorkspace({ baseUrl, sessionToken: token, owner, repo: "main" });
const tabs = await main.tabs();
assert.deepEqual(tabs.map((tab) => tab.name).sort(), ["System log", "bench", "docs"].sort());
const docs = tabs.find((tab) => tab.name === "docs");
assert.deepEqual(
  [docs?.panelState.url, docs?.panelState.proxyEnabled, docs?.panelState.headerHidden],
  ["https://example.com/", true, true],
);
console.log("The guide's commands work.");

const program = spawnSync(process.execPath, [here("program.ts"), baseUrl], { env, encoding: "utf8" });
assert.equal(program.status, 0, program.stderr);
assert.match(program.stdout, /Open http.*\/w\/.*\/drive-a-workspace\nWaits for a browser: /);
const own = openWorkspace({ baseUrl, sessionToken: token, owner, repo: "drive-a-workspace" });
const { root } = await own.layout();
assert.ok(root.type === "split" && root.direction === "horizontal");
assert.deepEqual(await own.probe(), { browser_connected: false, sse_connections: 0, sharing: false });
await assert.rejects(own.refresh(root.first.id), { problemCode: "no-browser-session" });
console.log("A program set up a workspace; its code waits for a browser.");

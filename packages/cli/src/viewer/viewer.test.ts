import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { freePort } from "../../../../scripts/services/index.ts";
import { runLineHere } from "../run-here.suite.ts";

const CLI = fileURLToPath(new URL("../../bin/backplane.js", import.meta.url));
/** One white pixel. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC",
  "base64",
);

async function openProject(t: TestContext) {
  const project = mkdtempSync(join(tmpdir(), "backplane-cli-viewer-"));
  t.after(() => rmSync(project, { recursive: true, force: true }));
  writeFileSync(join(project, "pixel.png"), PIXEL);
  const env = { PATH: process.env.PATH ?? "", HOME: project, VIEWER_PORT: String(await freePort()) };
  const start = (args: readonly string[]) => spawn(process.execPath, [CLI, "viewer", ...args], { cwd: project, env });
  return {
    project,
    env,
    start,
    files: () => readdirSync(join(project, "screenshots/sp")).filter((name) => !name.startsWith(".")),
    /** In this process, which takes a tenth of the time. */
    run: (args: readonly string[], input?: Buffer) =>
      runLineHere({ cwd: project, env, ...(input ? { input } : {}) }, ["viewer", ...args]),
    /** As a process of its own, as people run it. */
    async runProcess(args: readonly string[]) {
      const child = start(args);
      child.stdin.end();
      const [stdout, stderr, [status]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, "close"),
      ]);
      return { stdout, stderr, status };
    },
  };
}

test("without a running viewer the commands work on the folder: add, list, search, rename", async (t) => {
  const { run, files, project } = await openProject(t);
  const none = await run(["list"]);
  assert.deepEqual([none.status, none.stderr], [0, ""]);
  assert.match(none.stdout, /No screenshots yet\. Open the page with: backplane viewer open/);

  const added = await run(["add", join(project, "pixel.png"), "--title", "Bench 4"]);
  assert.equal(added.status, 0, added.stderr);
  assert.match(added.stdout, /screenshots\/sp\/sp-\d{8}-\d{6}-\d{3}-1x1\.png {2}1 × 1, \d+ bytes/);
  assert.ok(added.stdout.includes(`The folder is ${join(project, "screenshots/sp")}\n`), added.stdout);
  const piped = await run(["add", "-", "--json"], PIXEL);
  assert.deepEqual(JSON.parse(piped.stdout).original.bytes, PIXEL.length);

  const { pastes } = JSON.parse((await run(["list", "--json"])).stdout);
  assert.deepEqual(
    pastes.map(({ title }: { title: string | null }) => title),
    [null, "Bench 4"],
  );
  const renamed = await run(["rename", pastes[1].id, "Oven rev C"]);
  assert.match(
    renamed.stdout,
    /screenshots\/sp\/oven-rev-c-1x1\.png\n {2}screenshots\/sp\/oven-rev-c-1x1-original\.png/,
  );
  for (const near of ["oven", "oven-rev-d", "Oven rev C", "screenshots/sp/oven-rev-c-64x48.png"]) {
    const missed = await run(["rename", near, "b"]);
    assert.deepEqual([missed.status, missed.stderr.includes("Did you mean oven-rev-c?")], [5, true], missed.stderr);
  }
  assert.doesNotMatch((await run(["rename", "gyroscope", "b"])).stderr, /Did you mean/);
  const again = await run(["rename", pastes[0].optimized.path, "oven-rev-c"]);
  assert.match(again.stdout, /oven-rev-c-2-1x1\.png/);
  assert.equal(files().length, 4);

  const found = await run(["search", "bench"]);
  assert.match(found.stdout, /oven-rev-c-1x1\.png/);
  const missed = await run(["search", "gyroscope"]);
  assert.deepEqual([missed.status, /No screenshot has "gyroscope"/.test(missed.stdout)], [5, true]);
  assert.deepEqual(readdirSync(project).sort(), ["pixel.png", "screenshots"], "nothing else is left in the project");
});

test("a command that fails says why and what to do next, and changes nothing", async (t) => {
  const { run, runProcess, files, project } = await openProject(t);
  await run(["add", join(project, "pixel.png")]);
  const before = files();
  const [first = ""] = before;
  assert.equal(before.length, 2);
  const elsewhere = ["--project", "no/such/folder"];
  const faults: Record<string, [args: string[], status: number, words: RegExp]> = {
    "there is no such file": [["add", "nothing.png"], 2, /nothing\.png cannot be read/],
    "a folder": [["add", "."], 2, /cannot be read/],
    "no image": [["add", CLI], 2, /not a known image type/],
    "no such screenshot": [["rename", "oven", "b"], 5, /with: backplane viewer list/],
    "a name that leads elsewhere": [["rename", first, "../../x"], 2, /letters|name/],
    "no such project": [["list", ...elsewhere], 1, /no\/such\/folder/],
    "no such project to serve": [["open", ...elsewhere], 1, /■ .*no\/such\/folder/],
    "an empty file": [["add", "-"], 2, /The input is empty/],
    "nothing to search for": [["search", ""], 2, /nothing to search for/],
    "no name": [["rename", first, ""], 2, /at least one letter or digit/],
    "no number": [["list", "--limit", "many"], 2, /whole number/],
  };
  for (const [what, [args, status, words]] of Object.entries(faults)) {
    const ran = await run(args);
    assert.deepEqual([ran.status, words.test(ran.stderr)], [status, true], `${what}: ${ran.stderr}`);
  }
  const served = await runProcess(["mcp", ...elsewhere]);
  assert.deepEqual([served.status, /■ .*no\/such\/folder/.test(served.stderr)], [1, true], served.stderr);
  const told = await run(["rename", "oven", "b", "--json"]);
  assert.deepEqual([told.status, JSON.parse(told.stdout).error.code], [5, "paste-unknown"]);
  assert.deepEqual(files(), before);
});

test("open serves the page until Ctrl-C; meanwhile other commands and AI clients use it", async (t) => {
  const { runProcess, start, env, project } = await openProject(t);
  const page = start(["open", "--title", "Rev C"]);
  t.after(() => page.kill("SIGKILL"));
  let shown = "";
  for await (const chunk of page.stdout.setEncoding("utf8")) {
    shown += chunk;
    if (shown.includes("Ctrl-C")) break;
  }
  const url = `http://localhost:${env.VIEWER_PORT}/screenshot-paste?title=Rev+C`;
  assert.ok(shown.includes(url), shown);
  assert.ok(shown.includes(`go to ${join(project, "screenshots/sp")}\n`), shown);
  assert.match(await (await fetch(url)).text(), /Rev C/);

  const client = new Client({ name: "test", version: "1.0.0" });
  const args = [CLI, "viewer", "mcp", "--project", project];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: project }));
  t.after(() => client.close());
  const { tools } = await client.listTools();
  assert.ok(tools.some(({ name }) => name === "av_screenshot_paste"));
  const next = client.callTool({ name: "av_screenshot_latest", arguments: { wait_seconds: 60 } }, { timeout: 90_000 });
  const { status, stdout, stderr } = await runProcess(["add", "pixel.png", "--json"]);
  assert.equal(status, 0, stderr);
  const added = JSON.parse(stdout);
  const { structuredContent } = (await next) as { structuredContent: { status: string; id: string } };
  assert.deepEqual([structuredContent.status, structuredContent.id], ["found", added.id]);

  // That was the viewer of `open`. At the next call the client's process finds no viewer, and serves the project itself.
  page.kill("SIGINT");
  const [code] = await once(page, "close");
  assert.equal(code, 130);
  const widget = await client.callTool({ name: "av_screenshot_paste", arguments: {} });
  const { url: own } = widget.structuredContent as { url: string };
  assert.equal((await fetch(own)).status, 200);
});

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempDisposableSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { DEVICE_TOOLS } from "@backplane/devices/mcp";
import { PANEL_TOOLS } from "@backplane/panels/mcp";
import { runLineHere } from "../run-here.suite.ts";
import { PANEL_TOKEN, startScriptedPanels } from "./scripted-panels.suite.ts";

const CLI = fileURLToPath(new URL("../../bin/backplane.js", import.meta.url));
const environment = (url: string) => ({
  ...process.env,
  ...{ BASE_URL: url, BACKPLANE_TOKEN: PANEL_TOKEN, BACKPLANE_WORKSPACE: "lab/rover" },
});

/** In this process, which takes a tenth of the time. */
async function run(url: string, args: readonly string[]) {
  const ran = await runLineHere({ cwd: process.cwd(), env: environment(url) }, ["panel", ...args]);
  assert.ok(!`${ran.stdout}${ran.stderr}`.includes(PANEL_TOKEN));
  return ran;
}

/** As a process of its own, as people run it. */
async function runProcess(url: string, args: readonly string[], input: string) {
  const child = spawn(process.execPath, [CLI, "panel", ...args], { env: environment(url) });
  child.stdin.end(input);
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  assert.ok(!`${stdout}${stderr}`.includes(PANEL_TOKEN));
  return { stdout, stderr, status };
}

const current = "/api/workspaces/editor/lab/rover/current";
const tab = (more: object) => ({
  tabs: [
    { tabId: "t1", panelId: "p1", active: true, name: "bench", kind: "sandbox", panelState: {}, ...more },
    { tabId: "t2", panelId: "p2", active: false, name: "docs\u001b[2J", kind: "webview", panelState: {} },
  ],
});
/** One white pixel. */
const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC";
const sandbox = "PATCH /api/panels/sandbox/lab/rover";

test("eval takes code from the command line or from standard input, and prints only the result", async () => {
  const body = { status: "executed", result: { a: 1 }, logs: [{ level: "warn", text: "hot" }] };
  await using platform = await startScriptedPanels({ [`GET ${current}/tabs`]: { body: tab({}) }, [sandbox]: { body } });
  for (const [args, input] of [
    [["eval", "bench", "6 * 7"], ""],
    [["eval", "p1"], "6 * 7"],
    [["eval", "t1", "-"], "6 * 7"],
  ] as const) {
    const ran = await runProcess(platform.url, args, input);
    assert.deepEqual([ran.status, ran.stdout, ran.stderr], [0, '{\n  "a": 1\n}\n', "warn: hot\n"], args.join(" "));
    assert.deepEqual(platform.asked.at(-1)?.body, { panelId: "p1", action: "eval", code: "6 * 7" });
  }
});

test("code that throws is exit code 1, with the error on standard error", async () => {
  const body = { status: "error", error: "TypeError: no" };
  await using platform = await startScriptedPanels({ [`GET ${current}/tabs`]: { body: tab({}) }, [sandbox]: { body } });
  const ran = await run(platform.url, ["eval", "bench", "no()"]);
  assert.deepEqual([ran.status, ran.stdout, ran.stderr], [1, "", "TypeError: no\n"]);
  const read = await run(platform.url, ["eval", "bench", "no()", "--json"]);
  assert.deepEqual([read.status, JSON.parse(read.stdout)], [1, body]);
});

test("code that was queued names the command that prints its result later", async () => {
  const queued = { id: "e7", status: "queued" };
  const evals = "GET /api/panels/sandbox/lab/rover/evals";
  await using platform = await startScriptedPanels({
    [`GET ${current}/tabs`]: { body: tab({}) },
    [sandbox]: { body: queued },
    [`${evals}/e7`]: { body: { id: "e7", status: "executed", result: 42 } },
    [`${evals}/e8`]: { body: { id: "e8", status: "error", error: "TypeError: no" } },
    [`${evals}/e9`]: { body: { id: "e9", status: "queued" } },
  });
  const ran = await run(platform.url, ["eval", "bench", "6 * 7"]);
  assert.match(ran.stdout, /Queued as e7: .*\n.*\/w\/lab\/rover\n.* panel eval-result e7\n$/);
  const done = await run(platform.url, ["eval-result", "e7"]);
  assert.deepEqual([done.status, done.stdout, done.stderr], [0, "42\n", ""]);
  const failed = await run(platform.url, ["eval-result", "e8"]);
  assert.deepEqual([failed.status, failed.stdout, failed.stderr], [1, "", "TypeError: no\n"]);
  assert.match((await run(platform.url, ["eval-result", "e9"])).stdout, /Queued as e9/);
});

test("a tab behind another is brought to the front before it is driven", async () => {
  await using platform = await startScriptedPanels({
    [`GET ${current}/tabs`]: { body: tab({}) },
    [`PATCH ${current}/tabs`]: { status: 204 },
    "PATCH /api/panels/webview/lab/rover": { status: 204 },
  });
  const ran = await run(platform.url, ["navigate", "p2", "example.org"]);
  assert.equal(ran.status, 5, "p2 has another tab in front: it is not guessed which is meant");
  assert.match(ran.stderr, /No webview is called "p2"\.\n {2}Open panels/);
  assert.ok(!ran.stderr.includes("\u001b[2J"));
  assert.equal((await run(platform.url, ["navigate", "t2", "example.org"])).status, 0);
  assert.deepEqual(
    platform.asked.slice(-2).map(({ body }) => body),
    [
      { tabId: "t2", panelId: "p2", active: true },
      { panelId: "p2", action: "navigate", url: "https://example.org" },
    ],
  );
});

test("show prints the title if it is known, never that there is none; the kind of another panel is named", async () => {
  const webview = "GET /api/panels/webview/lab/rover";
  const shown = { panelId: "p2", tabId: "t2", url: "http://localhost:3000/", title: null, scroll: null, fault: null };
  const state = { loading: false, headerHidden: false, proxyEnabled: false, live: true };
  const answers: Parameters<typeof startScriptedPanels>[0] = {
    [`GET ${current}/tabs`]: { body: tab({}) },
    [`PATCH ${current}/tabs`]: { status: 204 },
  };
  await using platform = await startScriptedPanels(answers);
  const show = async (more: object) => {
    answers[`${webview}?panelId=p2`] = { body: { ...shown, ...state, ...more } };
    return (await run(platform.url, ["show", "t2"])).stdout;
  };
  assert.match(
    await show({}),
    /^http:\/\/localhost:3000\/\n {2}Browsers tell its title .*\n {2}.* panel proxy t2 on\n$/,
  );
  assert.equal(await show({ title: "Rover" }), "Rover  http://localhost:3000/\n");
  assert.equal(await show({ proxyEnabled: true }), "http://localhost:3000/\n");
  assert.match(await show({ url: null, fault: "No address yet.", live: false }), /^No address yet\.\n/);
  const wrong = await run(platform.url, ["show", "bench"]);
  assert.match(wrong.stderr, /bench is a sandbox\. This command is for a webview\./);
});

test("a name that several tabs have is refused with their ids", async () => {
  const twice = ["t1", "t2"].map((tabId) => ({
    ...{ tabId, panelId: "p1", active: false, name: "docs", kind: "webview", panelState: { title: "Pins" } },
  }));
  await using platform = await startScriptedPanels({ [`GET ${current}/tabs`]: { body: { tabs: twice } } });
  const ran = await run(platform.url, ["close", "docs"]);
  assert.equal(ran.status, 6);
  assert.match(ran.stderr, /2 panels are called "docs"\.\n {2}Name one by the id of its tab:\n {2}t1 {2}in panel p1/);
});

test("list and layout show print what people see: names, pages and files, not identifiers", async () => {
  const panelType = "backplane/3dd64ce6";
  const tabs = [
    {
      tabId: "t1",
      panelId: "p1",
      active: true,
      name: "Code editor",
      kind: "code-editor",
      panelState: { path: "a.ts" },
    },
  ];
  const root = { type: "leaf", id: "p1", activeTabId: "t1", tabs: [{ id: "t1", panelType, panelState: {} }] };
  await using platform = await startScriptedPanels({
    [`GET ${current}/tabs`]: { body: { tabs } },
    [`GET ${current}/probe`]: { body: { browser_connected: true, sse_connections: 0, sharing: false } },
    [`GET ${current}`]: { body: { revision: 1, root } },
  });
  assert.match((await run(platform.url, ["list"])).stdout, /p1 {2}Code editor {2}code-editor {2}a\.ts\n$/);
  assert.equal((await run(platform.url, ["layout", "show"])).stdout, "panel p1\n  ● Code editor\n");
});

test("open says what it cannot open, and what to do next", async () => {
  const refused: [string, number, RegExp][] = [
    ["panel-type-unknown", 5, /no panel of that name\.\n {2}List the panels with: backplane panel catalog/],
    ["singleton-panel", 6, /Open: tab t1\.\n {2}Show it with: --reuse/],
  ];
  for (const [code, exit, words] of refused) {
    const errors = [{ pointer: "/panelType", message: "no" }];
    await using platform = await startScriptedPanels({
      [`POST ${current}/tabs`]: { status: 409, body: { code, detail: "Open: tab t1.", errors } },
    });
    const ran = await run(platform.url, ["open", "3d-viewer"]);
    assert.equal(ran.status, exit);
    assert.match(ran.stderr, words);
  }
  const root = { type: "leaf", id: "p1", activeTabId: null, tabs: [] };
  await using platform = await startScriptedPanels({
    [`GET ${current}/tabs`]: { body: { tabs: [] } },
    [`GET ${current}`]: { body: { revision: 1, root } },
    [`POST ${current}/tabs`]: { status: 201, body: { tabId: "t1", panelId: "p1", reused: false } },
  });
  const opened = await run(platform.url, ["open", "sandbox", "--panel", "p1"]);
  assert.equal(opened.status, 0, "an empty panel");
  const unknown = await run(platform.url, ["open", "sandbox", "--panel", "p2"]);
  assert.deepEqual([unknown.status, platform.asked.at(-1)?.what], [5, `GET ${current}`]);
});

test("open names the file that the panel shows", async () => {
  const body = { tabId: "t1", panelId: "p1", reused: false };
  await using platform = await startScriptedPanels({ [`POST ${current}/tabs`]: { status: 201, body } });
  const ran = await run(platform.url, ["open", "schematic-editor", "--file", "board/main.kicad_sch"]);
  assert.equal(ran.status, 0);
  const asked = platform.asked.at(-1)?.body as { initialState?: unknown };
  assert.deepEqual(asked.initialState, { path: "board/main.kicad_sch" });
});

test("screenshot prints where the file is: on this machine its whole path, elsewhere how to get it", async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), "panel-shot-"));
  const path = "screenshots/bench-64x48.png";
  const stored = join(home.path, "projects/@u-1/rover", path);
  const session = { id: "s", kind: "ApiKey", name: "key", expires_at: null };
  const shot = { width: 64, height: 48, originalWidth: 64, originalHeight: 48, scale: 1, size: 100 };
  await using platform = await startScriptedPanels({
    "GET /user": { body: { id: "u-1", name: "lab", display_name: "", email: "", session } },
    [`GET ${current}/screenshot`]: { body: { sharing: { active: true }, availableScopes: [] } },
    [`PATCH ${current}/screenshot`]: {
      body: { ...shot, path, url: "http://x/y.png", dataUrl: "data:image/png;base64,AAAA" },
    },
  });
  const env = { ...environment(platform.url), BACKPLANE_HOME: home.path };
  const take = (...args: string[]) => runLineHere({ cwd: home.path, env }, ["panel", "screenshot", ...args]);
  const elsewhere = await take();
  assert.match(
    elsewhere.stdout,
    /^● screenshots\/bench-64x48\.png of lab\/rover {2}64×48.*\n.*y\.png\n.*--out <file>\n$/,
  );
  mkdirSync(dirname(stored), { recursive: true });
  writeFileSync(stored, "");
  assert.ok((await take()).stdout.startsWith(`● ${stored}  64×48`));
  assert.ok((await take("--out", "copy.png")).stdout.startsWith(`● ${join(home.path, "copy.png")}  64×48`));
  assert.equal(JSON.parse((await take("--json")).stdout).file, stored);
});

test("screenshot --to viewer adds it there, and a picture without text is named after the panel and the time", async () => {
  using project = mkdtempDisposableSync(join(tmpdir(), "panel-shot-viewer-"));
  const shot = { width: 1, height: 1, originalWidth: 1, originalHeight: 1, scale: 1, size: 69 };
  await using platform = await startScriptedPanels({
    [`GET ${current}/tabs`]: { body: tab({ name: "Supply rail" }) },
    [`GET ${current}/screenshot`]: { body: { sharing: { active: true }, availableScopes: [] } },
    [`PATCH ${current}/screenshot`]: {
      body: { ...shot, path: "screenshots/rail-1x1.png", url: "http://x/y.png", dataUrl: PIXEL },
    },
  });
  const env = { ...environment(platform.url), HOME: project.path, VIEWER_PROJECT: project.path };
  const take = (...args: string[]) =>
    runLineHere({ cwd: project.path, env }, ["panel", "screenshot", ...args, "--to", "viewer"]);
  const shown = await take("Supply rail");
  assert.equal(shown.status, 0, shown.stderr);
  const folder = join(project.path, "screenshots/sp");
  const names = readdirSync(folder).filter((name) => /^supply-rail-sandbox-\d{4}(?:-\d\d){4}-1x1\.png$/.test(name));
  assert.equal(names.length, 1, shown.stdout);
  assert.ok(shown.stdout.includes(`● ${join(folder, names[0] ?? "")}  in the viewer\n`), shown.stdout);
  const { viewer } = JSON.parse((await take("Supply rail", "--name", "Rail C", "--json")).stdout);
  assert.deepEqual([viewer.name, viewer.file], ["rail-c", join(folder, "rail-c-1x1.png")]);
});

test("a screenshot that nobody shares tells the person at the terminal what to do, and what needs no sharing", async () => {
  const detail = "Ask the user to press Share. Then repeat this call.";
  await using platform = await startScriptedPanels({
    [`GET ${current}/screenshot`]: { body: { sharing: { active: false }, availableScopes: [] } },
    [`PATCH ${current}/screenshot`]: { status: 504, body: { code: "sharing-required", title: "Nobody", detail } },
  });
  const { status, stderr } = await run(platform.url, ["screenshot", "--wait", "0"]);
  assert.equal(status, 4);
  assert.match(stderr, /Nobody shares what this screenshot needs/);
  assert.ok(stderr.includes(`press Share at the monitor icon there, then run this again: ${platform.url}/w/lab/rover`));
  assert.match(stderr, /--method html2canvas/);
  assert.doesNotMatch(stderr, /Ask the user|repeat this call/);
});

test("log prints the lines of a source from a level upwards", async () => {
  const entry = { id: 7, at: "2026-01-01T10:00:00.123Z", level: "warn", source: "power", message: "low" };
  await using platform = await startScriptedPanels({
    [`GET ${current}/log?level=warn&source=power`]: { body: { entries: [entry] } },
  });
  const ran = await run(platform.url, ["log", "--level", "warn", "--source", "power"]);
  assert.equal(ran.stdout, "10:00:00.123  warn   power        low\n");
});

test("lessons are listed with how far one is, and a lesson with its steps", async () => {
  const path = "lessons/first-steps/01-run.md";
  const said = { path, course: "First steps", title: "Run a motor", steps: 2, done: 1, fault: null };
  const step = (id: string, more: object) => ({ id, title: [{ text: id }], text: [], hints: [], done: null, ...more });
  const check = { type: "file", path: "notes.md", contains: null };
  const steps = [
    step("Read", { check: null, checkText: "" }),
    step("Start", { check, checkText: "a", done: { at: "", atMs: 1, because: "notes.md is there" } }),
    step("Write", { check, checkText: "notes.md exists" }),
  ];
  await using platform = await startScriptedPanels({
    [`GET ${current}/lessons`]: { body: { lessons: [said, { ...said, fault: "Line 3: odd" }], samples: [] } },
    [`GET ${current}/lessons/${path}`]: { body: { path, title: "Run a motor", text: [], steps } },
  });
  const list = await run(platform.url, ["lessons"]);
  assert.match(list.stdout, /01-run\.md {2}Run a motor {2}1 of 2 done\n.*Line 3: odd\n$/);
  const one = await run(platform.url, ["lessons", path]);
  assert.match(
    one.stdout,
    /Run a motor\n {2}Read\n.* Start: notes\.md is there\n {2}Write: done when notes\.md exists\n$/,
  );
});

test("files put sends files as they are, get saves one and overwrites nothing, ls lists them", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "panel-files-"));
  const [file, copy] = [join(folder.path, "gains.csv"), join(folder.path, "copy.csv")];
  writeFileSync(file, "[1,2]");
  const listed = { path: "docs/gains.csv", size: 5, modifiedAt: "2026-01-01T10:00:00.000Z" };
  await using platform = await startScriptedPanels({
    [`PUT ${current}/files/docs/gains.csv`]: { status: 201, body: listed },
    [`GET ${current}/files/docs/gains.csv`]: { body: [1, 2] },
    [`GET ${current}/files`]: { body: { files: [listed], truncated: false } },
  });
  assert.match((await run(platform.url, ["files", "put", file, "--to", "docs"])).stdout, /docs\/gains\.csv, 5/);
  assert.deepEqual(platform.asked.at(-1)?.body, [1, 2]);
  assert.equal((await run(platform.url, ["files", "get", "docs/gains.csv", "--out", copy])).status, 0);
  assert.equal(readFileSync(copy, "utf8"), "[1,2]");
  const again = await run(platform.url, ["files", "get", "docs/gains.csv", "--out", copy]);
  assert.equal(again.status, 2);
  assert.match(again.stderr, /exists already\.\n {2}Choose another name with --out, or add --force/);
  assert.match((await run(platform.url, ["files", "ls"])).stdout, /docs\/gains\.csv {2}5 .* {2}2026-01-01 10:00\n$/);
  assert.equal((await run(platform.url, ["files", "put", join(folder.path, "none")])).status, 2);
});

test("rename prints the new address; delete says what goes, and needs --yes", async () => {
  const workspace = "/api/workspaces/editor/lab/rover";
  await using platform = await startScriptedPanels({
    [`PATCH ${workspace}`]: { body: { owner: "lab", repo: "thermal" } },
    [`GET ${current}/tabs`]: { body: tab({}) },
    [`GET ${current}/files`]: { body: { files: [{ path: "a.txt", size: 1 }], truncated: false } },
    [`DELETE ${workspace}?files=true`]: { status: 204 },
  });
  const renamed = await run(platform.url, ["rename", "lab/rover", "thermal"]);
  assert.match(renamed.stdout, /lab\/rover is lab\/thermal now\.\n {2}.*\/w\/lab\/thermal\n$/);
  assert.deepEqual(platform.asked.at(-1)?.body, { repo: "thermal" });
  const asked = await run(platform.url, ["delete", "lab/rover"]);
  assert.equal(asked.status, 2);
  assert.match(
    asked.stderr,
    /lab\/rover has 2 panels and 1 file, which cannot be restored\.\n {2}To delete it, add --yes/,
  );
  assert.ok(!platform.asked.some(({ what }) => what.startsWith("DELETE")));
  assert.equal((await run(platform.url, ["delete", "lab/rover", "--yes"])).status, 0);
  assert.equal(platform.asked.at(-1)?.what, `DELETE ${workspace}?files=true`);
});

test("a refusal has its code and the next step", async () => {
  await using platform = await startScriptedPanels({
    [`GET ${current}/tabs`]: { body: tab({}) },
    [sandbox]: { status: 409, body: { code: "no-browser-session", detail: "Open it first." } },
  });
  const ran = await run(platform.url, ["reset", "bench", "--json"]);
  assert.equal(ran.status, 6);
  assert.deepEqual(JSON.parse(ran.stdout), {
    error: {
      code: "no-browser-session",
      message: `Open it first.\nOpen it in a browser, and keep it open: ${platform.url}/w/lab/rover`,
    },
  });
});

test("wrong usage is exit code 2", async () => {
  for (const args of [
    ["eval"],
    ["proxy", "docs", "maybe"],
    ["screenshot", "--wait", "soon"],
    ["list", "--workspace", "a"],
  ]) {
    assert.equal((await run("http://127.0.0.1:9", args)).status, 2, args.join(" "));
  }
});

test("every tool for AI clients has a name of one kind, and says in sentences what it does", () => {
  for (const { name, description } of [...PANEL_TOOLS.tools, ...DEVICE_TOOLS.tools]) {
    assert.match(name, /^(?:panel|device|schematic)_[a-z_]+$/);
    assert.ok(description.endsWith("."), name);
  }
});

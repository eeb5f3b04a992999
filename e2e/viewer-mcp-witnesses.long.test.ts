import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { plainEnvironment } from "./support/backplane.ts";
import { newProject, runTool, uploadTo } from "./support/mcp.ts";
import { until } from "./support/processes.ts";
import { pictureWithoutText, pictureWithText, type RunningViewer, startViewer } from "./support/viewer.ts";
import { installWitness } from "./support/witnesses.ts";

// Programs of others, installed only here: `npm test` has a client of the library.

let viewer: RunningViewer;
let picture: Buffer;
let mcpInspector: string;
let conformanceSuite: string;
before(async () => {
  mcpInspector = await installWitness(".bin/mcp-inspector");
  conformanceSuite = await installWitness(".bin/conformance");
  viewer = await startViewer();
  picture = await pictureWithText("Battery voltage log");
});
after(() => viewer?.[Symbol.asyncDispose]());

const TOOLS = ["av_screenshot_paste", "av_screenshot_latest", "av_screenshot_upload"];
/** Until it is named; each try takes at least a second. */
const TRIES = 20;
const NAMED = /^battery-voltage-log/;

type Found = { status: string; id: string; name: string; isNamed: boolean; optimized: { absolutePath: string } };
type Listed = { uri: string; mimeType: string };
type Answer = {
  tools: { name: string; inputSchema: object; outputSchema: object }[];
  content: { type: string; text?: string; uri?: string }[];
  structuredContent: Found & { url: string; title: string };
  resources: Listed[];
  contents: (Listed & { blob: string })[];
};

/** For a busy machine. */
const PATIENT = ["--connect-timeout", "90000"];

type Inspect = (...args: string[]) => Promise<Answer>;

/** Runs the inspector isolated from the developer's own settings. */
function inspector(folder: string, ...target: string[]): Inspect {
  const env = { ...plainEnvironment(), HOME: folder, MCP_INSPECTOR_SECRET_STORE: "memory" };
  return async (method, ...args) => {
    const all = [mcpInspector, "--cli", ...target, ...PATIENT, "--method", method, ...args];
    return JSON.parse((await runTool(process.execPath, all, { cwd: folder, env })).stdout);
  };
}

const latest = async (inspect: Inspect): Promise<Found> =>
  (await inspect("tools/call", "--tool-name", "av_screenshot_latest")).structuredContent;

async function expectTools(inspect: Inspect): Promise<void> {
  // --strict fails on schemas that some clients cannot read.
  const { tools } = await inspect("tools/list", "--strict");
  assert.deepEqual(
    tools.map(({ name }) => name),
    TOOLS,
  );
  for (const { inputSchema, outputSchema } of tools) assert.ok(inputSchema && outputSchema);
}

async function expectLatest(inspect: Inspect, project: string): Promise<Found> {
  let found = await latest(inspect);
  assert.equal(found.status, "found");
  for (let tries = 0; !found.isNamed && tries < TRIES; tries += 1) found = await latest(inspect);
  assert.match(found.name, NAMED);
  assert.equal(found.optimized.absolutePath, join(project, "screenshots", "sp", `${found.name}-1000x400.png`));
  return found;
}

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "backplane-mcp-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const inspectorOverHttp = (t: TestContext): Inspect =>
  inspector(newFolder(t), `${viewer.pages}/mcp`, "--transport", "http");

test("mcp-inspector --cli lists the tools and gets the latest screenshot over HTTP", async (t) => {
  const inspect = inspectorOverHttp(t);
  await expectTools(inspect);
  await uploadTo(viewer, picture);
  await until(() => viewer.files().some((file) => NAMED.test(file)), "the name");
  await expectLatest(inspect, viewer.project);
});

test("mcp-inspector --cli opens the page and reads a screenshot over HTTP", async (t) => {
  const inspect = inspectorOverHttp(t);
  const { id } = await expectLatest(inspect, viewer.project);
  const opened = await inspect("tools/call", "--tool-name", "av_screenshot_paste", "--tool-arg", "title=Rev C");
  assert.equal(opened.structuredContent.title, "Rev C");
  assert.match(opened.structuredContent.url, /^http:\/\/localhost:\d+\/screenshot-paste\?title=Rev(%20|\+)C$/);
  assert.equal(opened.content.find(({ type }) => type === "resource_link")?.uri, opened.structuredContent.url);

  const uri = `viewer://pastes/${id}/optimized.png`;
  const { resources } = await inspect("resources/list");
  const uris = resources.map((resource) => resource.uri).sort();
  assert.deepEqual(uris, ["ui://viewer/screenshot-paste.html", uri]);
  const { contents } = await inspect("resources/read", "--uri", uri);
  assert.equal(contents[0]?.mimeType, "image/png");
  const png = Buffer.from(contents[0]?.blob ?? "", "base64");
  assert.deepEqual([png.toString("latin1", 1, 4), png.readUInt32BE(16)], ["PNG", 1_000]);
});

// viewer-mcp-eras.long.test.ts covers the rest over stdio.
test("mcp-inspector --cli lists the tools over stdio, from a configuration as in docs/guides/viewer.md, and calls one with the command itself", async (t) => {
  const { folder, project, server, env, run } = await newProject(t);
  const config = join(folder, "mcp.json");
  writeFileSync(config, JSON.stringify({ mcpServers: { viewer: server } }));
  await expectTools(inspector(folder, "--config", config, "--server", "viewer"));
  const file = join(folder, "pasted.png");
  // Without text: it is not read again by every command.
  writeFileSync(file, await pictureWithoutText("#27c", 64, 40));
  await run("add", file);
  const settings = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  const { status, name, optimized } = await latest(inspector(folder, ...settings, server.command, ...server.args));
  assert.equal(status, "found");
  assert.equal(optimized.absolutePath, join(project, "screenshots", "sp", `${name}-64x40.png`));
});

/** Scenarios that do not apply, by reason. */
const ELSEWHERE = {
  "calls a test tool that the suite expects the server to have": [
    "tools-call-simple-text",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-error",
    "tools-call-with-progress",
    "tools-call-sampling",
    "tools-call-elicitation",
    "json-schema-2020-12",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
  ],
  "reads a test resource of the suite": ["resources-read-text", "resources-read-binary", "resources-templates-read"],
  "needs a capability that is not declared: prompts": [
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
  ],
  "needs a capability that is not declared: completions": ["completion-complete"],
  "needs a capability that is not declared: logging": ["logging-set-level", "tools-call-with-logging"],
  "needs a capability that is not declared: subscriptions to one resource": [
    "resources-subscribe",
    "resources-unsubscribe",
  ],
  "needs sessions, which this server does not have": ["server-sse-polling", "server-sse-multiple-streams"],
};
const APPLY = ["server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection"];
/** The only errors allowed there: the scenario got as far as the missing part. */
const MISSING = /Method not found|Tool '?\w+'? not found|Resource not found: test:/;

type Check = { id: string; status: string; errorMessage?: string };

test("the MCP conformance suite passes where it applies; every scenario of the suite is classified here", async (t) => {
  const folder = newFolder(t);
  const conformance = (...args: string[]) =>
    runTool(process.execPath, [conformanceSuite, ...args], { cwd: folder, env: plainEnvironment() });
  const results = join(folder, "results");
  const all = ["server", "--url", `${viewer.pages}/mcp`, "--suite", "all", "--output-dir", results];
  // Exits with 1 because of the scenarios that do not apply.
  await conformance(...all).catch(() => undefined);
  const folders = new Map(
    readdirSync(results).map((name) => [/^server-(.+)-\d{4}-\d\d-\d\dT.*$/.exec(name)?.[1] ?? name, name]),
  );
  const classified = [...APPLY, ...Object.values(ELSEWHERE).flat()].sort();
  assert.deepEqual([...folders.keys()].sort(), classified);
  const [, listed = ""] = /^Server scenarios[^\n]*\n([\s\S]*?)\n\n/m.exec((await conformance("list")).stdout) ?? [];
  assert.deepEqual([...listed.matchAll(/^ *- (\S+)/gm)].map(([, name = ""]) => name).sort(), classified);
  const checksOf = (scenario: string): Check[] =>
    JSON.parse(readFileSync(join(results, folders.get(scenario) ?? "", "checks.json"), "utf8"));
  for (const scenario of APPLY) {
    const checks = checksOf(scenario);
    assert.ok(checks.length > 0);
    for (const { id, status, errorMessage } of checks) assert.equal(status, "SUCCESS", `${id}: ${errorMessage}`);
  }
  for (const [why, names] of Object.entries(ELSEWHERE)) {
    for (const scenario of names) {
      for (const { id, status, errorMessage = "" } of checksOf(scenario)) {
        if (status === "FAILURE") assert.match(errorMessage, MISSING, `${id} ${why}`);
      }
    }
  }
});

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import {
  type DraftPanel,
  type InstalledPanel,
  type OpenPanelTools,
  PANEL_PACKAGE_LIMITS,
  type PanelFrame,
  SOCKET_PATH,
} from "@backplane/contract/panels";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { until } from "../../../../scripts/testing/until.ts";
import { openPanelsArea } from "../area.ts";
import { Page } from "../live/page.suite.ts";
import { SQLITE } from "../workspaces/stages.suite.ts";
import { openStage } from "../workspaces/workspaces-under-test.suite.ts";
import { samplePackages, samplePanel, sampleVersion } from "./sample-packages.suite.ts";

const currentOf = (repo: string) => `/api/workspaces/editor/ada/${repo}/current`;
const PANEL = sampleVersion("1.0.0", { read: ["imu"], tools: ["peak"] });
PANEL.panel.tools.push({ name: "peak", description: "The highest value", input: { type: "object" } });
const ALLOWED = { version: PANEL.version, sha256: PANEL.sha256, wants: PANEL.panel.wants };
const ONLY = sampleVersion("1.0.0");
ONLY.identifier = "com.example.only";
Object.assign(ONLY.panel, {
  ...{ title: "Only", singleton: true },
  stateSchema: { type: "object", properties: { zoom: { type: "number", maximum: 8 } }, additionalProperties: false },
});

const RUNS = sampleVersion("2.0.0", { files: ["read:data/**"], eval: true });
RUNS.identifier = "com.example.runs";
const allowedOf = ({ version, sha256, panel }: typeof PANEL) => ({ version, sha256, wants: panel.wants });

type Area = Awaited<ReturnType<typeof openArea>>;

/** The whole area on a real socket, with a registry that has three panels. */
async function openArea(t: TestContext, panelPackages = samplePackages([PANEL, ONLY, RUNS])) {
  const { first, ends } = await openStage(t, SQLITE);
  const projectsFolder = mkdtempSync(join(tmpdir(), "panel-packages-"));
  t.after(() => rmSync(projectsFolder, { recursive: true, force: true }));
  const { dependencies } = first;
  const settings = { ...dependencies.settings, projectsFolder };
  const area = await openPanelsArea({ ...dependencies, settings, panelPackages });
  const app = await createApp({
    onlyDeclaredProblems: true,
    log: createLog({ process: "test", level: "silent", destination: { write: () => {} } }),
    ...{ metrics: dependencies.metrics, now: dependencies.now, readiness: { checks: {}, isDraining: () => false } },
    ...{ trustProxy: [], overHttps: false, answerFirst: area.answerFirst },
  });
  await area.addRoutes(app);
  await app.listen({ host: "127.0.0.1", port: 0 });
  ends.push(async () => {
    await area.drain();
    await app.close();
    await area.close();
  });
  const { port } = app.server.address() as AddressInfo;
  const call = async (who: string, method: string, path: string, body?: unknown) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${who}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
    return { status: response.status, code: answer.code, answer };
  };
  return { call, port };
}

async function addsPanel({ call }: Area) {
  const CURRENT = currentOf("rover");
  const ONE = `${CURRENT}/packages/${PANEL.identifier}`;
  await call("ada", "GET", CURRENT);
  const offered = await call("ada/read", "GET", `${CURRENT}/packages/offered`);
  assert.deepEqual([offered.status, (offered.answer.panels as unknown[]).length], [200, 1]);
  const refused = await call("ada/program", "PUT", ONE, ALLOWED);
  assert.deepEqual([refused.status, refused.code], [409, "consent-needed"]);
  assert.equal((await call("eve", "PUT", ONE, ALLOWED)).status, 403);
  assert.equal((await call("ada", "PUT", ONE, { ...ALLOWED, sha256: "0".repeat(64) })).status, 404);
  assert.equal((await call("ada", "PUT", ONE, { ...ALLOWED, wants: { read: [] } })).status, 422);
  const added = await call("ada", "PUT", ONE, ALLOWED);
  assert.deepEqual([added.status, added.answer.allowedBy], [200, "ada"]);
  const choose = (who: string, devices: unknown) => call(who, "PUT", `${ONE}/devices`, { devices });
  assert.equal((await choose("ada/program", ["rover"])).status, 403);
  assert.equal((await choose("ada", ["../rover"])).status, 422);
  assert.equal((await choose("ada", ["rover"])).status, 204);
  const listed = await call("ada/program", "GET", `${CURRENT}/packages`);
  assert.deepEqual((listed.answer.panels as InstalledPanel[])[0]?.devices?.ids, ["rover"]);
  assert.equal((await call("ada/program", "DELETE", ONE)).status, 204);
  assert.equal((await choose("ada", null)).code, "consent-needed");
  assert.equal((await call("ada/program", "DELETE", ONE)).status, 404);
  assert.equal((await call("ada/program", "PUT", `${ONE}/draft/allowed`, ALLOWED)).status, 403);
}

async function servesFrame({ call, port }: Area) {
  const CURRENT = currentOf("frames");
  const ONE = `${CURRENT}/packages/${PANEL.identifier}`;
  await call("ada", "GET", CURRENT);
  const place = { tabId: "tab-1", generation: 0, window: "k3x9a" };
  assert.equal((await call("ada", "POST", `${ONE}/frame`, place)).code, "consent-needed");
  await call("ada", "PUT", ONE, ALLOWED);
  const { answer } = await call("ada", "POST", `${ONE}/frame`, place);
  const { address } = answer as unknown as PanelFrame;
  const other = (await call("ada", "POST", `${ONE}/frame`, { ...place, tabId: "tab-2" }))
    .answer as unknown as PanelFrame;
  const get = (path: string, host = new URL(address).host, method = "GET") =>
    new Promise<{ status: number; policy: string; body: string }>((resolve, reject) => {
      const sent = request({ port, path, method, headers: { host }, agent: false }, async (response) => {
        const parts: Buffer[] = [];
        for await (const part of response) parts.push(part as Buffer);
        const policy = String(response.headers["content-security-policy"] ?? "");
        resolve({ status: response.statusCode ?? 0, policy, body: Buffer.concat(parts).toString() });
      });
      sent.on("error", reject).end();
    });
  const at = new URL(address).pathname;
  const outer = await get(at);
  assert.match(outer.policy, new RegExp(`frame-src ${address.replaceAll(".", "[.]")}run$`));
  const run = await get(`${at}run`);
  assert.match(run.policy, /sandbox allow-scripts;.*default-src 'none'.*connect-src 'none'.*frame-src 'none'/);
  assert.doesNotMatch(run.policy, /'unsafe-eval'|allow-same-origin|script-src [^;]*'unsafe-inline'|[*]/);
  assert.match(run.body, /<script type="module" src="files\/index.js">/);
  assert.equal((await get(`${at}files/index.js`)).body, "document.title = 'Gauge';");
  for (const path of ["files/none.js", "files/../../x.js", "files/index.js/", "other", "files/"]) {
    assert.equal((await get(`${at}${path}`)).status, 404, path);
  }
  assert.equal((await get(at, new URL(address).host, "POST")).status, 405);
  assert.equal((await get(`${at}files/index.js`, new URL(other.address).host)).status, 404, "of another tab");
  assert.equal((await get(`/x${at.slice(1)}`)).status, 404, "changed");
  assert.equal((await get("/")).status, 404);
}

async function callsTools({ call, port }: Area, t: TestContext) {
  const CURRENT = currentOf("tools");
  const ONE = `${CURRENT}/packages/${PANEL.identifier}`;
  await call("ada", "GET", CURRENT);
  await call("ada", "PUT", ONE, ALLOWED);
  const opened = await call("ada", "POST", `${CURRENT}/tabs`, {
    ...{ panelType: "package", displayName: "Gauge", initialState: { package: PANEL.identifier } },
  });
  const { tabId } = opened.answer as { tabId: string };
  const client = new Client({ name: "test", version: "1" });
  const url = new URL(`http://127.0.0.1:${port}${CURRENT}/mcp`);
  const requestInit = { headers: { authorization: "Bearer ada/agent" } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  t.after(() => client.close());
  const tool = async (name: string, input: Record<string, unknown> = {}) => {
    const { content, isError = false } = await client.callTool({ name, arguments: input });
    return { isError, text: (content as { text: string }[]).map(({ text }) => text).join("\n") };
  };
  assert.deepEqual(JSON.parse((await tool("panel_tools")).text), { tools: [] }, "no browser shows it");
  assert.match((await tool("panel_call", { tabId, name: "peak" })).text, /^no-browser-session/);

  const { ticket } = (await call("ada", "POST", `${CURRENT}/ticket`)).answer as { ticket: string };
  const page = await new Page(`ws://127.0.0.1:${port}${SOCKET_PATH}`).opened();
  t.after(() => page.vanish());
  page.answer = (order) => (order.kind === "panel-call" ? { name: order.name, input: order.input } : null);
  page.send({ type: "hello", ticket });
  await page.hears("welcome");
  page.send({ type: "mounted", tabId });
  assert.deepEqual(JSON.parse((await tool("panel_tools")).text), {
    tools: [{ tabId, panel: "Gauge", name: "peak", description: "The highest value", input: { type: "object" } }],
  });
  const called = await tool("panel_call", { tabId, name: "peak", input: { n: 3 } });
  assert.deepEqual(JSON.parse(called.text), { result: { name: "peak", input: { n: 3 } } });
  assert.match((await tool("panel_call", { tabId, name: "other" })).text, /is not a tool of this panel/);
  assert.match((await tool("panel_call", { tabId: "none", name: "peak" })).text, /^tab-unknown/);
  const second = await call("ada", "POST", `${CURRENT}/tabs`, {
    panelType: "package",
    initialState: { package: PANEL.identifier },
  });
  const { tabId: other } = second.answer as { tabId: string };
  page.send({ type: "mounted", tabId: other });
  const shownIn = async () =>
    (JSON.parse((await tool("panel_tools")).text) as OpenPanelTools).tools.map((each) => each.tabId);
  await until("the tools of both tabs", async () => (await shownIn()).length === 2);
  await call("ada", "DELETE", `${CURRENT}/tabs`, { tabId: other });
  assert.deepEqual(await shownIn(), [tabId], "the other one is closed");
  assert.match((await tool("panel_call", { tabId: other, name: "peak" })).text, /^tab-unknown/);
  await call("ada", "DELETE", ONE);
  await page.hears("packages");
  assert.deepEqual(JSON.parse((await tool("panel_tools")).text), { tools: [] }, "it was removed");
}

async function runsPrograms({ call, port }: Area, t: TestContext) {
  const CURRENT = currentOf("programs");
  const DRIVE = "/api/panels/sandbox/ada/programs";
  await call("ada", "GET", CURRENT);
  const open = async (identifier: string) =>
    (await call("ada", "POST", `${CURRENT}/tabs`, { panelType: "package", initialState: { package: identifier } }))
      .answer as { tabId: string };
  const { tabId } = await open(RUNS.identifier);
  const drive = (panelId: string, action: object = { action: "eval", code: "6 * 7" }) =>
    call("ada/agent", "PATCH", DRIVE, { panelId, ...action });
  assert.equal((await drive(tabId)).code, "consent-needed");
  const pin = `${CURRENT}/packages/${RUNS.identifier}`;
  const less = { ...RUNS.panel.wants, eval: false };
  assert.equal(
    (await call("ada", "PUT", pin, { ...allowedOf(RUNS), wants: less })).code,
    "consent-needed",
    "not shown",
  );
  assert.equal((await call("ada", "PUT", pin, allowedOf(RUNS))).status, 200);
  await call("ada", "PUT", `${CURRENT}/packages/${PANEL.identifier}`, ALLOWED);
  const { tabId: plain } = await open(PANEL.identifier);
  const refused = await drive(plain);
  assert.deepEqual([refused.status, refused.code], [409, "runs-no-code"]);
  assert.match(String(refused.answer.detail), /^Gauge does not ask for it: its panel.json has no "eval"/);
  assert.equal((await call("ada", "GET", `${DRIVE}/journal?panelId=${plain}`)).code, "runs-no-code");

  const { id } = (await drive(tabId)).answer as { id: string };
  const { ticket } = (await call("ada", "POST", `${CURRENT}/ticket`)).answer as { ticket: string };
  const page = await new Page(`ws://127.0.0.1:${port}${SOCKET_PATH}`).opened();
  t.after(() => page.vanish());
  page.answer = (order) =>
    order.kind === "eval"
      ? { status: "executed", result: 42, ran: { id: `w-${page.orders.length}`, generation: 0, ended: "executed" } }
      : "ready";
  page.send({ type: "hello", ticket });
  await page.hears("welcome");
  page.send({ type: "mounted", tabId });
  const resultOf = () => call("ada/agent", "GET", `${DRIVE}/evals/${id}`);
  await until("code that waited ran", async () => (await resultOf()).answer.status === "executed");
  assert.deepEqual((await drive(tabId)).answer, { status: "executed", result: 42 });
  const journal = (await call("ada/read", "GET", `${DRIVE}/journal?panelId=${tabId}`)).answer;
  assert.equal((journal.evals as unknown[]).length, 2);
  const report = (await call("ada/read", "GET", `${DRIVE}?panelId=${tabId}`)).answer;
  assert.deepEqual([report.standing, report.queued], ["ready", 0]);
  assert.equal((await drive(tabId, { action: "reset" })).status, 204);
  assert.equal((await call("ada", "GET", `${DRIVE}?panelId=${tabId}`)).answer.generation, 1);
  const place = { tabId, generation: 1, window: "k3x9a" };
  const frame = (await call("ada", "POST", `${pin}/frame`, place)).answer as unknown as PanelFrame;
  const { host, pathname } = new URL(frame.address);
  const policy = await new Promise<string>((resolve, reject) => {
    const sent = request({ port, path: `${pathname}run`, headers: { host }, agent: false }, (response) => {
      resolve(String(response.resume().headers["content-security-policy"]));
    });
    sent.on("error", reject).end();
  });
  assert.match(policy, /script-src [^;]*'unsafe-eval'.*connect-src 'none'.*worker-src 'none'.*frame-src 'none'/);
  assert.doesNotMatch(policy, /allow-same-origin|script-src [^;]*('unsafe-inline'|blob:|data:)|[*]/);
}

async function asksOfTabs({ call }: Area) {
  const CURRENT = currentOf("only");
  await call("ada", "GET", CURRENT);
  const { version, sha256, panel } = ONLY;
  const added = await call("ada", "PUT", `${CURRENT}/packages/${ONLY.identifier}`, {
    version,
    sha256,
    wants: panel.wants,
  });
  assert.equal(added.status, 200);
  const open = (own: object, more: object = {}) =>
    call("ada/program", "POST", `${CURRENT}/tabs`, {
      ...{ panelType: "package", initialState: { package: ONLY.identifier, own }, ...more },
    });
  const wrong = await open({ zoom: 9 });
  assert.deepEqual(
    [wrong.status, wrong.answer.errors],
    [422, [{ pointer: "/initialState/own/zoom", message: "must be at most 8" }]],
  );
  const opened = await open({ zoom: 2 });
  assert.equal(opened.status, 201);
  const { tabId } = opened.answer as { tabId: string };
  assert.deepEqual([(await open({})).code, (await open({}, { reuse: true })).answer.tabId], ["singleton-panel", tabId]);
  const change = (panelState: object, id = tabId) => call("ada", "PATCH", `${CURRENT}/tabs`, { tabId: id, panelState });
  assert.equal((await change({ own: { zoom: 3 } })).status, 200);
  assert.deepEqual((await change({ own: { other: 1 } })).status, 422);
  const second = await call("ada", "POST", `${CURRENT}/tabs`, { panelType: "package", initialState: {} });
  const { tabId: other } = second.answer as { tabId: string };
  assert.equal((await change({ package: ONLY.identifier }, other)).code, "singleton-panel");
  await call("ada", "DELETE", `${CURRENT}/tabs`, { tabId });
  assert.equal((await change({ package: ONLY.identifier }, other)).status, 200, "the first one is closed");
  const undone = await call("ada", "POST", `${CURRENT}/undo`);
  assert.deepEqual(undone.answer.leftOut, ["Only did not come back: it is open already, and a workspace has it once."]);
  assert.equal((await change({ own: {} })).code, "tab-unknown");
}

test("panels from packages, over HTTP", async (t) => {
  // One area for all: to open it takes longer than all that is asked of it.
  const area = await openArea(t);
  await t.test("a person adds a panel, a program does not; each sees who allowed it", () => addsPanel(area));
  await t.test("a frame gets its own files at its own host name, with no way out", () => servesFrame(area));
  await t.test("agents see and call the tools of panels that a browser shows", (own) => callsTools(area, own));
  await t.test("programs run code in a panel exactly where a person has allowed it", (own) => runsPrograms(area, own));
  await t.test("a panel that is allowed once is opened once, and its state fits its schema", () => asksOfTabs(area));
});

test("drafts on their way are limited per person, and refused before they are read", async (t) => {
  const { call, port } = await openArea(t);
  const CURRENT = currentOf("drafts");
  const ONE = `${CURRENT}/packages/${PANEL.identifier}`;
  await call("ada", "GET", CURRENT);
  const { maxDraftBytes, maxArrivingBytesPerPerson } = PANEL_PACKAGE_LIMITS;
  const send = (person: string, length: number) => {
    const headers = { authorization: `Bearer ${person}`, "content-type": "application/zip", "content-length": length };
    const sent = request({ port, path: `${ONE}/draft`, method: "PUT", headers, agent: false });
    const status = new Promise<number | undefined>((resolve) => {
      sent.on("response", (response) => resolve(response.resume().statusCode));
      sent.on("error", () => resolve(undefined));
    });
    sent.write("{");
    return { status, end: () => sent.destroy() };
  };
  const sending = Array.from({ length: maxArrivingBytesPerPerson / maxDraftBytes }, () => send("ada", maxDraftBytes));
  let next = send("ada", 1);
  while ((await next.status) !== 429) next = send("ada", 1);
  const eve = send("eve", maxDraftBytes);
  assert.equal(await eve.status, 403);
  for (const { end } of [...sending, eve, next]) end();
});

test("the files of a draft are unpacked once, and not after it was stopped", async (t) => {
  const packages = samplePackages([PANEL]);
  let unpacked = 0;
  const counted: typeof packages = {
    ...packages,
    unpack(archive) {
      unpacked += 1;
      return packages.unpack(archive);
    },
  };
  const { call, port } = await openArea(t, counted);
  const CURRENT = currentOf("drafts");
  const ONE = `${CURRENT}/packages/${PANEL.identifier}`;
  await call("ada", "GET", CURRENT);
  const headers = { authorization: "Bearer ada", "content-type": "application/zip" };
  const body = JSON.stringify(samplePanel());
  const sent = await fetch(`http://127.0.0.1:${port}${ONE}/draft`, { method: "PUT", headers, body });
  const { version, sha256, panel } = (await sent.json()) as DraftPanel;
  assert.equal(unpacked, 1);
  await call("ada", "PUT", `${ONE}/draft/allowed`, { version, sha256, wants: panel.wants });
  const frame = (tabId: string) =>
    call("ada", "POST", `${ONE}/frame`, { tabId, generation: 0, window: "k3x9a", draft: true });
  const frames = await Promise.all(["tab-1", "tab-2", "tab-3"].map(frame));
  assert.deepEqual(
    frames.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal(unpacked, 2);
  await call("ada", "DELETE", `${ONE}/draft`);
  assert.equal((await frame("tab-1")).code, "package-unknown");
});

import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Owners, WhoIsCalling } from "@backplane/kit/callers";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { ToolFault, toolInput, type WorkspaceTools, workspaceTool } from "@backplane/kit/mcp";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { untilAsserted } from "../../../scripts/testing/until.ts";
import { openPanelsArea } from "./area.ts";
import { PANEL_TOOLS } from "./mcp/tools.ts";
import { SQLITE } from "./workspaces/stages.suite.ts";
import { callerOf, openStage } from "./workspaces/workspaces-under-test.suite.ts";

type Overridden = {
  projectsFolder?: string;
  owners?: Partial<Owners>;
  whoIsCalling?: WhoIsCalling;
  maxBytes?: number;
  otherTools?: () => Promise<readonly WorkspaceTools[]>;
};

/** The whole area on a real socket. */
async function openArea(
  t: TestContext,
  { projectsFolder = newFolder(t), owners, whoIsCalling, maxBytes = 1024 ** 3, otherTools }: Overridden = {},
) {
  const { first, ends } = await openStage(t, SQLITE);
  const dependencies = {
    ...first.dependencies,
    settings: {
      ...{ ...first.dependencies.settings, projectsFolder },
      quotas: { ...first.dependencies.settings.quotas, fileBytes: maxBytes },
    },
    owners: { ...first.dependencies.owners, ...owners },
    whoIsCalling: whoIsCalling ?? first.dependencies.whoIsCalling,
    ...(otherTools ? { otherTools } : {}),
  };
  const area = await openPanelsArea(dependencies);
  const app = await createApp({
    log: createLog({ process: "test", level: "silent", destination: { write: () => {} } }),
    ...{ metrics: dependencies.metrics, now: dependencies.now, readiness: { checks: {}, isDraining: () => false } },
    ...{ trustProxy: [], overHttps: false, answerFirst: area.answerFirst },
  });
  const routes: { method: string; url: string; access: unknown }[] = [];
  app.addHook("onRoute", ({ method, url, schema }) => {
    for (const one of [method].flat()) routes.push({ method: one, url, access: schema?.access });
  });
  await area.addRoutes(app);
  await app.listen({ host: "127.0.0.1", port: 0 });
  ends.push(async () => {
    await area.drain();
    await app.close();
    await area.close();
  });
  const address = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const call = async (
    who: string | undefined,
    method: string,
    path: string,
    body?: string,
    type = "application/json",
    headers: Record<string, string> = {},
  ) => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: { ...(who === undefined ? {} : { authorization: `Bearer ${who}` }), "content-type": type, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    return { status: response.status, code: isJson ? (JSON.parse(text) as { code?: string }).code : undefined };
  };
  return Object.assign(call, { address, routes });
}

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "panels-area-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const WORKSPACE = "/api/workspaces/editor/ada/rover";

test("missing or wrong key 401, whatever the body is; a key without the scope 403", async (t) => {
  const call = await openArea(t);
  const routes = [
    ["POST", `${WORKSPACE}/current/tabs`],
    ["PATCH", `${WORKSPACE}/current/splits`],
    ["POST", `${WORKSPACE}/current/moves`],
    ["PATCH", `${WORKSPACE}/current/screenshot`],
    ["POST", `${WORKSPACE}/current/log`],
    ["PUT", `${WORKSPACE}/current/files/a.txt`],
    ["POST", `${WORKSPACE}/current/lessons/lessons/a.md`],
    ["POST", `${WORKSPACE}/current/schematics/a.kicad_sch`],
    ["PUT", `${WORKSPACE}/current/schematics`],
    ["PATCH", "/api/panels/webview/ada/rover"],
    ["PATCH", "/api/panels/sandbox/ada/rover"],
    ["POST", `${WORKSPACE}/current/mcp`],
  ] as const;
  for (const [method, path] of routes) {
    for (const body of ["{}", "{", "[]", '{"action":"explode"}']) {
      assert.deepEqual(await call(undefined, method, path, body), { status: 401, code: "not-signed-in" }, path);
      assert.deepEqual(await call("ada/read", method, path, body), { status: 403, code: "scope-missing" }, path);
    }
  }
  assert.equal((await call(undefined, "GET", "/api/panels/catalog")).status, 200, "the catalog is public");
});

const PUBLIC = /^\/api\/panels\/(?:catalog$|icons\/)/;

test("a key with the scope read looks at a workspace; every other call of it needs the scope panels", async (t) => {
  const call = await openArea(t);
  assert.equal((await call("ada", "GET", `${WORKSPACE}/current`)).status, 200);
  const isRead = ({ access }: { access: unknown }) => access === "read-workspace";
  assert.deepEqual(
    call.routes
      .filter((route) => isRead(route) && route.method !== "HEAD")
      .map(({ method, url }) => `${method} ${url.replace("/api/workspaces/editor/:owner/:repo", "…")}`)
      .sort(),
    [
      "GET /api/panels/sandbox/:owner/:repo",
      "GET /api/panels/sandbox/:owner/:repo/evals/:id",
      "GET /api/panels/sandbox/:owner/:repo/journal",
      "GET /api/panels/webview/:owner/:repo",
      "GET /api/workspaces",
      "GET /containers/:slug",
      "GET …/current",
      "GET …/current/events",
      "GET …/current/files",
      "GET …/current/files/*",
      "GET …/current/lessons",
      "GET …/current/lessons/*",
      "GET …/current/log",
      "GET …/current/packages",
      "GET …/current/packages/offered",
      "GET …/current/packages/tools",
      "GET …/current/probe",
      "GET …/current/schematic-pictures/*",
      "GET …/current/schematics/*",
      "GET …/current/screenshot",
      "GET …/current/screenshots/:file",
      "GET …/current/tabs",
    ],
  );
  for (const route of call.routes) {
    if (route.method === "OPTIONS" || PUBLIC.test(route.url)) continue;
    const path = route.url
      .replace(":owner", "ada")
      .replace(":repo", "rover")
      .replace(/[:*][a-z]*/g, "none-1x1.png");
    const answer = await fetch(`${call.address}${path}`, {
      ...{ method: route.method, headers: { authorization: "Bearer ada/read" } },
    });
    await answer.body?.cancel();
    assert.equal(answer.status === 403, !isRead(route), `${route.method} ${path}: ${answer.status}`);
  }
});

test("pages of PANEL_ORIGINS drive panels with a token of their own; those of other origins cannot", async (t) => {
  const { address } = await openArea(t);
  const ask = (path: string, method: string, headers: Record<string, string>) =>
    fetch(`${address}${path}`, {
      ...{ method, headers: { ...(method === "POST" ? { "content-type": "application/json" } : {}), ...headers } },
      ...(method === "POST" ? { body: '{"panelType":"sandbox"}' } : {}),
    });
  const tabs = `${WORKSPACE}/current/tabs`;
  for (const [origin, status, allowed] of [
    ["https://bench.example", 204, "https://bench.example"],
    ["https://elsewhere.example", 404, null],
  ] as const) {
    const preflight = await ask(tabs, "OPTIONS", { origin, "access-control-request-method": "POST" });
    assert.deepEqual([preflight.status, preflight.headers.get("access-control-allow-origin")], [status, allowed]);
    const opened = await ask(tabs, "POST", { origin, authorization: "Bearer ada" });
    assert.equal(opened.headers.get("access-control-allow-origin"), allowed);
    for (const path of ["/api/panels/catalog", "/containers/hdlocal", `${WORKSPACE}/current/files/none`]) {
      assert.equal((await ask(path, "GET", { origin })).headers.get("access-control-allow-origin"), allowed, path);
    }
    assert.equal(opened.headers.get("access-control-allow-credentials"), null);
  }
});

test("pages of PANEL_ORIGINS are MCP clients of either era: they may send the headers of the protocol, and read the answers", async (t) => {
  const { address } = await openArea(t);
  const url = new URL(`${address}${WORKSPACE}/current/mcp`);
  const origin = "https://bench.example";
  const preflight = await fetch(url, {
    ...{ method: "OPTIONS", headers: { origin, "access-control-request-method": "POST" } },
  });
  assert.equal(preflight.status, 204);
  const allowed = new Set((preflight.headers.get("access-control-allow-headers") ?? "").split(", "));
  const sent = new Set<string>();
  for (const mode of ["auto", "legacy"] as const) {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    const asPage: typeof fetch = async (to, init) => {
      const headers = new Headers(init?.headers);
      for (const name of headers.keys()) sent.add(name);
      headers.set("origin", origin);
      const answer = await fetch(to, { ...init, headers });
      assert.equal(answer.headers.get("access-control-allow-origin"), origin);
      return answer;
    };
    const requestInit = { headers: { authorization: "Bearer ada/agent" } };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit, fetch: asPage }));
    await client.callTool({ name: "panel_list", arguments: {} });
    await client.close();
  }
  assert.ok(sent.has("mcp-protocol-version") && sent.has("mcp-method") && sent.has("mcp-name"));
  assert.deepEqual(sent.difference(allowed), new Set());
});

test("the ticket of a page creates no workspace: 404 workspace-unknown until something else has", async (t) => {
  const call = await openArea(t);
  const ticket = () => call("ada", "POST", `${WORKSPACE}/current/ticket?create=false`);
  assert.deepEqual(await ticket(), { status: 404, code: "workspace-unknown" });
  assert.deepEqual(await ticket(), { status: 404, code: "workspace-unknown" }, "asking has not created it");
  assert.equal((await call("ada", "GET", `${WORKSPACE}/current`)).status, 200);
  assert.equal((await ticket()).status, 201);
});

test("a body that is not JSON is 415; an empty one counts as no body where none is needed", async (t) => {
  const call = await openArea(t);
  assert.equal((await call("ada", "POST", `${WORKSPACE}/current/tabs`, '{"panelType":"sandbox"}')).status, 201);
  for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
    const refused = await call("ada", "POST", `${WORKSPACE}/current/tabs`, '{"panelType":"sandbox"}', type);
    assert.deepEqual(refused, { status: 415, code: "unsupported-media-type" });
  }
  assert.equal((await call("ada", "POST", `${WORKSPACE}/current/tabs`, "")).status, 422);
  assert.equal((await call("ada", "POST", `${WORKSPACE}/current/tabs`, "{")).status, 400);
  assert.equal((await call("ada", "POST", `${WORKSPACE}/current/ticket`, "")).status, 201);
  assert.equal((await call("ada", "POST", `${WORKSPACE}/current/undo`, "")).status, 200);
  assert.equal((await call("ada", "DELETE", WORKSPACE, "")).status, 204);
});

test("AI clients of either era drive a workspace over HTTP with a token, and learn in terms of the tools what went wrong", async (t) => {
  const { address } = await openArea(t);
  const url = new URL(`${address}${WORKSPACE}/current/mcp`);
  const headers = { authorization: "Bearer ada/agent" };
  for (const mode of ["auto", "legacy"] as const) {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    const call = async (name: string, input: Record<string, unknown> = {}) => {
      const { isError = false, content } = await client.callTool({ name, arguments: input });
      const text = (content as { text: string }[]).map((part) => part.text).join("\n");
      return { isError, text };
    };
    assert.equal(client.getServerVersion()?.name, "panels");
    assert.equal(client.getServerCapabilities()?.tools?.listChanged, false);
    assert.deepEqual(
      (await client.listTools()).tools.map(({ name }) => name),
      PANEL_TOOLS.tools.map(({ name }) => name),
    );
    const opened = await call("panel_open", { panelType: "sandbox", displayName: mode });
    const { panelId } = JSON.parse(opened.text) as { panelId: string };
    assert.match((await call("panel_list")).text, new RegExp(`"displayName":"${mode}"`));
    assert.match((await call("panel_eval", { panelId, code: "6 * 7" })).text, /"status":"queued"/);
    const says = async (name: string, input: Record<string, unknown>, text: RegExp) => {
      const refused = await call(name, input);
      assert.equal(refused.isError, true, name);
      assert.match(refused.text, text);
      assert.doesNotMatch(refused.text, /\b(?:GET|POST|PATCH|DELETE)\b/);
    };
    await says("panel_eval", { panelId }, /\ncode is missing$/);
    await says("panel_eval", { panelId: "none", code: "1" }, /^panel-unknown: .* Call panel_list/);
    await says("panel_open", { panelType: "kettle" }, /^panel-type-unknown: panelType is not .*panel_open/);
    await says("panel_refresh", { panelId }, /^wrong-panel-type: .*panel_focus/);
    await says("panel_screenshot", { reason: "to see" }, /^no-browser-session: .*\/w\/ada\/rover/);
    await client.close();
  }
});

test("MCP takes no cookie, and nobody's workspace but the caller's", async (t) => {
  const { address } = await openArea(t);
  const browser = await openArea(t, { whoIsCalling: async () => callerOf("ada") });
  const ask = async (headers: Record<string, string>, at = address) => {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
    const response = await fetch(`${at}${WORKSPACE}/current/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify(message),
    });
    await response.arrayBuffer();
    return response.status;
  };
  for (const more of [{}, { authorization: "Basic eDp5" }, { authorization: "" }]) {
    assert.equal(await ask({ cookie: "session_token=tok_x", ...more }, browser.address), 401);
  }
  assert.equal(await ask({ authorization: "Bearer eve/agent" }), 403);
  assert.equal(await ask({ authorization: "Bearer ada/agent" }), 200);
});

test("tools of other areas are served beside those of panels; a key for devices alone opens MCP and drives no panel", async (t) => {
  const kettle = workspaceTool("device_boil", "Boil", "Boils.", toolInput({}), async () => {
    throw new ToolFault("not-armed", "It is not armed.");
  });
  const advice = { "not-armed": (what: string) => `${what} Call device_take.` };
  const call = await openArea(t, {
    whoIsCalling: async ({ headers: sent }) =>
      sent.authorization === "Bearer bpk_x"
        ? { ...callerOf("ada"), kind: "ApiKey", scopes: ["devices:read"] }
        : callerOf("ada"),
    otherTools: async () => [{ begin: "device_list", tools: [kettle], advice }],
  });
  assert.equal((await call("ada", "GET", `${WORKSPACE}/current`)).status, 200, "it is there");
  const client = new Client({ name: "test", version: "1" });
  const headers = { authorization: "Bearer bpk_x" };
  const url = new URL(`${call.address}${WORKSPACE}/current/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  assert.match(client.getInstructions() ?? "", /Begin with panel_list or device_list/);
  assert.equal((await client.listTools()).tools.at(-1)?.name, "device_boil");
  const says = async (name: string) => JSON.stringify((await client.callTool({ name, arguments: {} })).content);
  assert.match(await says("device_boil"), /not-armed: It is not armed\. Call device_take\./);
  assert.match(await says("panel_layout"), /scope-missing/);
  await client.close();
});

const sendLayoutCalls = (address: string, count: number) => {
  const call = { jsonrpc: "2.0", method: "tools/call", params: { name: "panel_layout", arguments: {} } };
  return fetch(`${address}${WORKSPACE}/current/mcp`, {
    method: "POST",
    headers: {
      authorization: "Bearer ada/agent",
      ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
    },
    body: JSON.stringify(Array.from({ length: count }, (_, id) => ({ ...call, id }))),
  });
};

test("the calls of an MCP batch answer with some megabytes at most", async (t) => {
  const call = await openArea(t);
  const png = Buffer.alloc(11_000, 1);
  png.write("89504e470d0a1a0a0000000d494844520000000100000001", "hex");
  const displayIcon = `data:image/png;base64,${png.toString("base64")}`;
  for (let tab = 0; tab < 20; tab += 1) {
    const body = JSON.stringify({ panelType: "sandbox", displayName: `tab ${tab}`, displayIcon });
    assert.equal((await call("ada", "POST", `${WORKSPACE}/current/tabs`, body)).status, 201);
  }
  const text = await (await sendLayoutCalls(call.address, 40)).text();
  assert.ok(text.length < 8 * 1024 * 1024, `${text.length} bytes`);
  assert.equal(text.match(/"id":\d+[,}]/g)?.length, 40, "each is answered");
  assert.match(text, /too-many-requests: The other calls of this batch/);
});

test("a person has 16 MCP messages under way at most", async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let waiting = 0;
  const { address } = await openArea(t, {
    async whoIsCalling({ url }) {
      if (url.endsWith("/current")) {
        waiting += 1;
        await promise;
      }
      return callerOf("ada");
    },
  });
  const sent = Array.from({ length: 16 }, () => sendLayoutCalls(address, 1));
  await untilAsserted(() => assert.equal(waiting, 16));
  assert.equal((await sendLayoutCalls(address, 1)).status, 429);
  resolve();
  for (const answer of await Promise.all(sent)) {
    assert.equal(answer.status, 200);
    await answer.arrayBuffer();
  }
  await untilAsserted(async () => assert.equal((await sendLayoutCalls(address, 1)).status, 200));
});

test("a name that gets another owner gives none of its files away; a removed owner's files and workspaces are deleted", async (t) => {
  const projectsFolder = newFolder(t);
  let holder = "id-ada";
  let removed: Parameters<Owners["onRemoved"]>[0] = async () => {};
  const call = await openArea(t, {
    projectsFolder,
    owners: {
      resolve: async (userId, name) => (name === "ada" && userId === holder ? userId : undefined),
      listFor: async (userId) => (userId === holder ? [{ id: userId, name: "ada" }] : []),
      onRemoved: (listener) => {
        removed = listener;
      },
    },
  });
  const file = `${WORKSPACE}/current/files/plan.txt`;
  const put = (who: string) => call(who, "PUT", file, "secret", "text/plain", { "if-none-match": "*" });
  assert.equal((await put("ada")).status, 201);
  holder = "id-eve";
  assert.deepEqual(await call("eve", "GET", file), { status: 404, code: "file-unknown" });
  assert.equal((await put("eve")).status, 201);
  const folders = () => readdirSync(projectsFolder).filter((name) => !name.startsWith("."));
  assert.deepEqual(folders().sort(), ["@id-ada", "@id-eve"]);

  await removed(["id-ada"]);
  assert.deepEqual(folders(), ["@id-eve"]);
  assert.equal((await call("eve", "GET", file)).status, 200);
  holder = "id-ada";
  assert.deepEqual(await call("ada", "DELETE", WORKSPACE), { status: 404, code: "not-found" }, "it is deleted, too");
});

test("a renamed workspace keeps its files, and a new one with its old name does not get them", async (t) => {
  const call = await openArea(t);
  const create = { "if-none-match": "*" };
  const at = (repo: string) => `/api/workspaces/editor/ada/${repo}/current/files/plan.txt`;
  assert.equal((await call("ada", "PUT", at("rover"), "mine", "text/plain", create)).status, 201);
  assert.equal((await call("ada", "PATCH", WORKSPACE, '{"repo":"thermal"}')).status, 200);
  assert.equal((await call("ada", "GET", at("thermal"))).status, 200);
  assert.equal((await call("ada", "GET", at("rover"))).status, 404);
  assert.equal((await call("ada", "PUT", at("rover"), "new", "text/plain", create)).status, 201);
});

test("a removed workspace keeps its files, unless files=true: they are deleted and make room", async (t) => {
  const projectsFolder = newFolder(t);
  const call = await openArea(t, { projectsFolder, maxBytes: 10 });
  const create = (repo: string) => {
    const path = `/api/workspaces/editor/ada/${repo}/current/files/plan.txt`;
    return call("ada", "PUT", path, "12345678", "text/plain", { "if-none-match": "*" });
  };
  const plan = join(projectsFolder, "@id-ada", "rover", "plan.txt");
  assert.equal((await create("rover")).status, 201);
  assert.equal((await call("ada", "DELETE", WORKSPACE)).status, 204);
  assert.ok(existsSync(plan));
  assert.equal((await call("ada", "GET", `${WORKSPACE}/current`)).status, 200);
  assert.equal((await call("eve", "DELETE", `${WORKSPACE}?files=true`)).status, 403);
  assert.ok(existsSync(plan));
  assert.equal((await call("ada", "DELETE", `${WORKSPACE}?files=true`)).status, 204);
  assert.ok(!existsSync(plan));
  assert.equal((await create("oven")).status, 201);
});

test("only a browser shares a workspace; what it lets others do ends when it is taken back", async (t) => {
  const call = await openArea(t);
  assert.equal((await call("ada", "GET", `${WORKSPACE}/current`)).status, 200);
  const people = `${WORKSPACE}/people/eve`;
  for (const [who, method, path] of [
    ["ada/agent", "PUT", people],
    ["ada/agent", "DELETE", people],
    ["eve/agent", "POST", `${WORKSPACE}/accept`],
  ] as const) {
    assert.deepEqual(await call(who, method, path), { status: 403, code: "browser-session-needed" }, method);
  }
  assert.equal((await call("ada", "PUT", people)).status, 204);
  assert.equal((await call("eve", "GET", `${WORKSPACE}/current`)).status, 403);
  assert.equal((await call("eve", "POST", `${WORKSPACE}/accept`)).status, 204);
  assert.equal((await call("eve", "GET", `${WORKSPACE}/current`)).status, 200);
  const stream = await fetch(`${call.address}${WORKSPACE}/current/events`, {
    headers: { authorization: "Bearer eve" },
  });
  assert.equal(stream.status, 200);
  const ended = stream.text();
  assert.equal((await call("ada", "DELETE", people)).status, 204);
  assert.match(await ended, /"type":"connected"/, "it has ended");
  assert.equal((await call("eve", "GET", `${WORKSPACE}/current/files`)).status, 403);
});

test("a start moves the files of an earlier version, and finishes a removal that was cut short", async (t) => {
  const projectsFolder = newFolder(t);
  for (const folder of ["ada/rover", "@id-gone/rover"]) {
    mkdirSync(join(projectsFolder, folder), { recursive: true });
    writeFileSync(join(projectsFolder, folder, "plan.txt"), "secret");
  }
  const call = await openArea(t, { projectsFolder, owners: { listRemoved: async () => ["id-gone", "id-long-gone"] } });
  assert.equal((await call("ada", "GET", `${WORKSPACE}/current/files/plan.txt`)).status, 200);
  assert.ok(!existsSync(join(projectsFolder, "@id-gone")));
});

test("the files of all workspaces of an owner count together: one too many is 409, and deleting makes room again", async (t) => {
  const projectsFolder = newFolder(t);
  const call = await openArea(t, { projectsFolder, maxBytes: 10 });
  const at = (repo: string, name: string) => `/api/workspaces/editor/ada/${repo}/current/files/${name}`;
  const create = (path: string, text: string) => call("ada", "PUT", path, text, "text/plain", { "if-none-match": "*" });
  const change = (path: string, method: string, text?: string) =>
    call("ada", method, path, text, "text/plain", { "if-match": "*" });
  assert.equal((await create(at("rover", "a"), "123456")).status, 201);
  assert.deepEqual(await create(at("plane", "b"), "12345"), { status: 409, code: "quota-reached" });
  assert.ok(!existsSync(join(projectsFolder, "@id-ada", "plane", "b")));
  assert.equal((await create(at("plane", "b"), "1234")).status, 201);
  assert.deepEqual(await change(at("rover", "a"), "PUT", "1234567"), { status: 409, code: "quota-reached" });
  assert.equal((await change(at("rover", "a"), "PUT", "12345")).status, 200, "smaller");
  assert.equal((await create(at("rover", "c"), "1")).status, 201);
  assert.equal((await change(at("plane", "b"), "DELETE")).status, 204);
  assert.equal((await create(at("plane", "d"), "1234")).status, 201);
  assert.deepEqual(await create(at("rover", "e"), "1"), { status: 409, code: "quota-reached" });
});

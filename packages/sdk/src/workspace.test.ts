import assert from "node:assert/strict";
import { test } from "node:test";
import { CallError, PanelsError } from "./errors.ts";
import { type Script, SESSION, sendJson, startScriptedPlatform } from "./sign-in/scripted-platform.suite.ts";
import { listPanels, openWorkspace } from "./workspace.ts";

const answers =
  (status: number, body: unknown): Script =>
  ({ response }) =>
    sendJson(response, status, body);
const at = (baseUrl: string) => openWorkspace({ baseUrl, sessionToken: SESSION, owner: "lab", repo: "rover.main" });

test("every method is one call with the token and the contract's fields", async () => {
  const everything = {
    revision: 1,
    root: {},
    tabs: [],
    browser_connected: true,
    tabId: "t",
    panelId: "p",
    entries: [],
  };
  const others = { newPanelId: "n", url: null, status: "executed", path: "a.png", width: 1, sharing: {}, panels: [] };
  await using platform = await startScriptedPlatform(answers(200, { ...everything, ...others, availableScopes: [] }));
  const workspace = at(platform.url);
  await workspace.layout();
  await workspace.openTab({ panelType: "webview", initialState: { url: "https://example.org" } });
  await workspace.navigate("p1", "https://example.org");
  await workspace.setProxyEnabled("p1", true);
  await workspace.eval("p1", "6 * 7", { timeoutMs: 100 });
  await workspace.reset("p1");
  await workspace.screenshot({ panelId: "p1", reason: "to see" });
  await workspace.webview("p 1");
  await listPanels({ baseUrl: platform.url, sessionToken: SESSION });
  const current = "/api/workspaces/editor/lab/rover.main/current";
  assert.deepEqual(
    platform.calls.map(({ what, body }) => [what, body === "" ? undefined : JSON.parse(body)]),
    [
      [`GET ${current}`, undefined],
      [`POST ${current}/tabs`, { panelType: "webview", initialState: { url: "https://example.org" } }],
      ["PATCH /api/panels/webview/lab/rover.main", { panelId: "p1", action: "navigate", url: "https://example.org" }],
      ["PATCH /api/panels/webview/lab/rover.main", { panelId: "p1", action: "setProxyEnabled", enabled: true }],
      ["PATCH /api/panels/sandbox/lab/rover.main", { panelId: "p1", action: "eval", code: "6 * 7", timeoutMs: 100 }],
      ["PATCH /api/panels/sandbox/lab/rover.main", { panelId: "p1", action: "reset" }],
      [`PATCH ${current}/screenshot`, { panelId: "p1", reason: "to see" }],
      ["GET /api/panels/webview/lab/rover.main?panelId=p+1", undefined],
      ["GET /api/panels/catalog", undefined],
    ],
  );
  assert.ok(platform.calls.every(({ request }) => request.headers.authorization === `Bearer ${SESSION}`));
  assert.equal(workspace.page, `${platform.url}/w/lab/rover.main`);
});

test("files are sent and read as they are; one that exists is replaced only on request", async () => {
  const file = new Uint8Array([0, 255, 10]);
  await using platform = await startScriptedPlatform(({ request, response }) => {
    if (request.method === "GET") return void response.writeHead(200).end(file);
    const exists = request.headers["if-none-match"] === "*";
    const problem = { code: "file-exists", detail: "It exists." };
    sendJson(response, exists ? 412 : 200, exists ? problem : { path: "a b.bin", size: 3, modifiedAt: "" });
  });
  const workspace = at(platform.url);
  assert.deepEqual(await workspace.readFile("docs/a b.bin"), file);
  await assert.rejects(workspace.writeFile("a b.bin", file), { code: "refused", problemCode: "file-exists" });
  assert.equal((await workspace.writeFile("a b.bin", file, { replace: true })).path, "a b.bin");
  const files = "/api/workspaces/editor/lab/rover.main/current/files";
  assert.deepEqual(
    platform.calls.map(({ what }) => what),
    [`GET ${files}/docs/a%20b.bin`, ...Array.from({ length: 3 }, () => `PUT ${files}/a%20b.bin`)],
  );
  await assert.rejects(workspace.readFile("../tabs"), { code: "invalid-option" });
});

test("schematics are read, changed and drawn", async () => {
  await using platform = await startScriptedPlatform(
    answers(200, { etag: '"1"', symbols: [], nets: [], added: [], dataUrl: "data:," }),
  );
  const workspace = at(platform.url);
  const { etag } = await workspace.readSchematic("boards/main.kicad_sch");
  const edits = [{ do: "annotate" }] as const;
  await workspace.editSchematic("boards/main.kicad_sch", { etag, edits: [...edits] });
  assert.equal((await workspace.schematicPicture("a.kicad_sch", { format: "svg", sheet: "/B/" })).dataUrl, "data:,");
  const current = "/api/workspaces/editor/lab/rover.main/current";
  assert.deepEqual(
    platform.calls.map(({ what, body }) => [what, body === "" ? undefined : JSON.parse(body)]),
    [
      [`GET ${current}/schematics/boards/main.kicad_sch`, undefined],
      [`POST ${current}/schematics/boards/main.kicad_sch`, { etag, edits }],
      [`GET ${current}/schematic-pictures/a.kicad_sch?inline=true&format=svg&sheet=%2FB%2F`, undefined],
    ],
  );
});

test("204 is a success too", async () => {
  await using platform = await startScriptedPlatform(({ response }) => response.writeHead(204).end());
  assert.equal(await at(platform.url).refresh("p1"), undefined);
});

test("a refusal has Backplane's code; a browser that did not answer is not a server failure", async () => {
  for (const [status, problemCode, code] of [
    [404, "panel-unknown", "refused"],
    [504, "sharing-required", "refused"],
    [429, "browser-busy", "temporary"],
    [401, "not-signed-in", "not-signed-in"],
  ] as const) {
    await using platform = await startScriptedPlatform(answers(status, { code: problemCode, detail: "Words." }));
    await assert.rejects(at(platform.url).screenshot(), (error) => {
      assert.ok(error instanceof PanelsError && error instanceof CallError);
      assert.deepEqual([error.code, error.problemCode, error.status], [code, problemCode, status]);
      return true;
    });
  }
  await using proxy = await startScriptedPlatform(({ response }) => response.writeHead(504).end("<html>"));
  await assert.rejects(at(proxy.url).layout(), { code: "temporary", status: 504 });
});

test("a call is made again after a restart of an instance, where that cannot do anything twice", async () => {
  type First = Parameters<typeof startScriptedPlatform>[0];
  const ofProxy: First = ({ response }) => response.writeHead(502).end("<html>");
  const lost: First = ({ response }) => response.destroy();
  const answersAfter = (first: First, answer: First) => {
    let isFirst = true;
    return startScriptedPlatform((call) => {
      (isFirst ? first : answer)(call);
      isFirst = false;
    });
  };
  for (const code of ["not-ready", "browser-timeout"]) {
    await using platform = await answersAfter(answers(503, { code }), answers(204, undefined));
    await at(platform.url).refresh("p1");
    assert.equal(platform.calls.length, 2, code);
  }
  for (const first of [ofProxy, lost]) {
    await using platform = await answersAfter(first, answers(200, { tabs: [] }));
    assert.deepEqual(await at(platform.url).tabs(), []);
    await using changed = await answersAfter(first, answers(204, undefined));
    await assert.rejects(at(changed.url).refresh("p1"), CallError);
    assert.equal(changed.calls.length, 1, "it may have been done");
  }
  await using away = await answersAfter(answers(503, { code: "database-unavailable" }), answers(200, { tabs: [] }));
  await assert.rejects(at(away.url).tabs(), { problemCode: "database-unavailable" });
});

test("an answer that is not from Backplane, and an invalid name, are refused", async () => {
  await using platform = await startScriptedPlatform(answers(200, { hello: true }));
  await assert.rejects(at(platform.url).layout(), { code: "unexpected-answer" });
  assert.throws(() => openWorkspace({ baseUrl: platform.url, sessionToken: SESSION, owner: "a/b", repo: "c" }), {
    code: "invalid-option",
  });
});

test("recordings: every method is one call; files and events come in pieces, and a refusal says why", async () => {
  const id = "0b0cf2b8-6a4e-4d3f-9d59-3a3f5a0c6a11";
  const current = "/api/workspaces/editor/lab/rover.main/current";
  const body = { id, state: "whole", name: "Hall run", recordings: [], recorded: [] };
  await using platform = await startScriptedPlatform(({ request, response }) => {
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    if (pathname.endsWith(".csv")) sendJson(response, 409, { code: "still-recording", detail: "Stop it first." });
    else if (pathname.endsWith(".mcap")) response.writeHead(200).write("MC", () => response.end("AP"));
    else if (pathname.endsWith("/events")) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(
        'event: values\ndata: {"tMs":[1],"fields":{}}\n\nevent: other\ndata: {}\n\nevent: ended\ndata: {}\n\n',
      );
    } else sendJson(response, 200, body);
  });
  const { recordings, events } = at(platform.url).devices;
  await recordings.list();
  await recordings.get(id);
  await recordings.start({ name: "Hall run", lastMs: 1_000 });
  await recordings.keep();
  await recordings.stop(id);
  await recordings.rename(id, "x");
  await recordings.remove(id);
  const pieces = await Array.fromAsync(recordings.download(id));
  assert.equal(Buffer.concat(pieces).toString(), "MCAP");
  await assert.rejects(Array.fromAsync(recordings.download(id, "csv", { device: "m 1", capability: "motor" })), {
    ...{ code: "refused", problemCode: "still-recording" },
  });
  const heard = await Array.fromAsync(events({ recording: id, speed: 4 }));
  assert.deepEqual(
    heard.map(({ type }) => type),
    ["values", "ended"],
  );
  assert.throws(() => recordings.download("../keys"), { code: "invalid-option" });
  assert.deepEqual(
    platform.calls.map(({ what, body: sent }) => [what, sent === "" ? undefined : JSON.parse(sent)]),
    [
      [`GET ${current}/recordings`, undefined],
      [`GET ${current}/recordings/${id}`, undefined],
      [`POST ${current}/recordings`, { name: "Hall run", lastMs: 1_000 }],
      [`POST ${current}/recordings`, { keep: true }],
      [`PATCH ${current}/recordings/${id}`, { state: "stopped" }],
      [`PATCH ${current}/recordings/${id}`, { name: "x" }],
      [`DELETE ${current}/recordings/${id}`, undefined],
      [`GET ${current}/recordings/${id}.mcap`, undefined],
      [`GET ${current}/recordings/${id}.csv?device=m+1&capability=motor`, undefined],
      [`GET ${current}/devices/events?recording=${id}&speed=4`, undefined],
    ],
  );
});

test("cameras: every method is one call", async () => {
  const streams = "/api/workspaces/editor/lab/rover.main/current/streams";
  const body = { name: "door", state: "idle", streams: [], kinds: [], tookMs: 1 };
  await using platform = await startScriptedPlatform(({ response }) => sendJson(response, 200, body));
  const { streams: cameras } = at(platform.url).devices;
  await cameras.list();
  const settings = { address: "rtsp://192.168.1.60/stream1" };
  await cameras.add({ name: "door", kind: "rtsp", settings });
  await cameras.change("door", { record: true });
  await cameras.tryOut("door");
  await cameras.remove("front door");
  assert.deepEqual(
    platform.calls.map(({ what, body: sent }) => [what, sent === "" ? undefined : JSON.parse(sent)]),
    [
      [`GET ${streams}`, undefined],
      [`POST ${streams}`, { name: "door", kind: "rtsp", settings }],
      [`PUT ${streams}/door`, { settings: { record: true } }],
      [`POST ${streams}/door/try`, undefined],
      [`DELETE ${streams}/front%20door`, undefined],
    ],
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { PANELS_LIMITS, type Tab } from "@backplane/contract/panels";
import { findTab } from "../layout/tree.ts";
import type { Stage } from "../workspaces/stages.suite.ts";
import { openSandboxStage, PATH, type SandboxStage } from "./sandboxes-under-test.suite.ts";

async function tabNow({ first, workspace, tabId }: SandboxStage): Promise<Tab | undefined> {
  const layout = await first.workspaces.read(workspace.id);
  return layout && findTab(layout.root, tabId)?.tab;
}

export function testSandboxRoutes(stage: Stage): void {
  const { name } = stage;

  test(`${name}: eval answers {status: executed, result?} or {status: error, error}`, async (t) => {
    const { evaluate, browser } = await openSandboxStage(t, stage);
    browser.isOpen = browser.isMounted = true;
    assert.deepEqual(await evaluate("1 + 1"), { status: 200, body: { status: "executed", result: 2 } });
    assert.deepEqual(await evaluate("undefined"), { status: 200, body: { status: "executed" } });
    const { status, body } = await evaluate("null.x");
    assert.deepEqual([status, body.status], [200, "error"]);
    assert.match(body.error, /TypeError/);
  });

  test(`${name}: syntax errors are answered without a browser, with their position`, async (t) => {
    const { evaluate, browser } = await openSandboxStage(t, stage);
    for (const isOpen of [false, true]) {
      browser.isOpen = browser.isMounted = isOpen;
      const { body } = await evaluate("let a\nlet b = }");
      assert.deepEqual(body, { status: "error", error: "SyntaxError: Unexpected token (line 2, column 9)" });
    }
    assert.deepEqual(browser.ran, []);
  });

  test(`${name}: a browser's answer is accepted only if it is a valid result`, async (t) => {
    const { evaluate, browser } = await openSandboxStage(t, stage);
    for (const value of [null, 5, [], {}, { status: "error" }, { status: "queued", id: "x" }]) {
      browser.answers = async () => ({ ok: true, value });
      assert.equal((await evaluate("1")).body.status, "error", JSON.stringify(value));
    }
    const long = "ä".repeat(PANELS_LIMITS.maxResultBytes / 2 + 1);
    browser.answers = async () => ({ ok: true, value: { status: "executed", result: long } });
    assert.match((await evaluate("1")).body.error, /longer than 524288 bytes/);
    browser.answers = async () => ({ ok: true, value: { status: "executed", result: 1, secret: "x", logs: [] } });
    assert.deepEqual((await evaluate("1")).body, { status: "executed", result: 1 });
  });

  test(`${name}: a browser that does not answer, or is busy`, async (t) => {
    const { evaluate, browser } = await openSandboxStage(t, stage);
    browser.answers = async () => ({ ok: false, reason: "unknown" });
    const unknown = await evaluate("1");
    assert.deepEqual([unknown.status, unknown.body.code], [504, "outcome-unknown"]);
    browser.answers = async () => ({ ok: false, reason: "busy" });
    const { status, body } = await evaluate("1");
    assert.deepEqual([status, body.code], [429, "browser-busy"]);
  });

  test(`${name}: code that no browser got in time has not run: it is queued, and runs once a browser is there`, async (t) => {
    const site = await openSandboxStage(t, stage);
    const { evaluate, call, browser, tab } = site;
    browser.answers = async () => ({ ok: false, reason: "unreached" });
    const { id } = (await evaluate("'once'")).body;
    assert.deepEqual((await call("GET", `${PATH}/evals/${id}`)).body, { id, status: "queued" });
    browser.answers = async () => ({ ok: false, reason: "refused", code: "expired", detail: "late" });
    assert.equal((await evaluate("'twice'")).body.status, "queued");
    browser.answers = undefined;
    browser.mount(tab.workspaceId, tab.tabId);
    const endsAtMs = Date.now() + 120_000;
    while (browser.ran.length < 2) assert.ok(Date.now() < endsAtMs, String(await call("GET", PATH)));
    assert.deepEqual(browser.ran, ["'once'", "'twice'"]);
  });

  test(`${name}: reset answers 204 with or without a browser, and starts a new generation`, async (t) => {
    const site = await openSandboxStage(t, stage);
    const { call, panelId, tabId, browser } = site;
    const reset = () => call("PATCH", PATH, { panelId, action: "reset" });
    assert.equal((await reset()).status, 204);
    browser.isOpen = browser.isMounted = true;
    assert.equal((await reset()).status, 204);
    assert.deepEqual(browser.orders.at(-1), { kind: "reset", tabId, generation: 2 });
    assert.deepEqual((await tabNow(site))?.panelState, { generation: 2 });
    browser.answers = async () => ({ ok: false, reason: "unknown" });
    assert.equal((await reset()).status, 204, "the state has changed: every browser follows it");
    assert.deepEqual(site.notes.at(-1), "info sandbox: bench-agent reset Sandbox");
  });

  test(`${name}: setHeaderHidden answers 204 without a browser, and is stored`, async (t) => {
    const site = await openSandboxStage(t, stage);
    const hide = { panelId: site.panelId, action: "setHeaderHidden", hidden: true };
    assert.equal((await site.call("PATCH", PATH, hide)).status, 204);
    assert.deepEqual((await tabNow(site))?.panelState, { headerHidden: true });
  });

  test(`${name}: a program's name is stored on the tab; a person's browser does not count as driving`, async (t) => {
    const site = await openSandboxStage(t, stage);
    site.browser.isOpen = site.browser.isMounted = true;
    const { call, panelId } = site;
    await call("PATCH", PATH, { panelId, action: "eval", code: "1" }, "ada");
    assert.equal((await tabNow(site))?.drivenBy, undefined);
    await call("PATCH", PATH, { panelId, action: "eval", code: "1" });
    const endsAtMs = Date.now() + 120_000;
    while ((await tabNow(site))?.drivenBy !== "bench-agent") assert.ok(Date.now() < endsAtMs);
    const layout = await site.first.workspaces.read(site.workspace.id);
    await call("PATCH", PATH, { panelId, action: "eval", code: "2" });
    assert.equal((await site.first.workspaces.read(site.workspace.id))?.revision, layout?.revision, "once");
  });

  test(`${name}: "panelId unknown 404; its active tab is of another kind 409 wrong-panel-type"`, async (t) => {
    const { call, open, panelId, tabId } = await openSandboxStage(t, stage);
    await open("webview");
    const bodyFor = (panelId: string) => ({ panelId, action: "eval", code: "1" });
    const unknown = await call("PATCH", PATH, bodyFor("nowhere"));
    assert.deepEqual([unknown.status, unknown.body.code], [404, "panel-unknown"]);
    assert.equal(unknown.body.errors[0].pointer, "/panelId");
    const other = await call("PATCH", PATH, bodyFor(panelId));
    assert.deepEqual([other.status, other.body.code], [409, "wrong-panel-type"]);
    assert.equal((await call("PATCH", PATH, bodyFor(tabId))).status, 200, "a tab may be named itself");
  });

  test(`${name}: each wrong field gets 422 with its name, and nothing changes`, async (t) => {
    const { call, panelId, browser } = await openSandboxStage(t, stage);
    const wrong: readonly (readonly [body: object, pointer: string])[] = [
      [{}, "/action"],
      [{ panelId, action: "dance" }, "/action"],
      [{ action: "eval", code: "1" }, "/panelId"],
      [{ panelId: 5, action: "reset" }, "/panelId"],
      [{ panelId, action: "eval" }, "/code"],
      [{ panelId, action: "eval", code: 5 }, "/code"],
      [{ panelId, action: "eval", code: "ä".repeat(PANELS_LIMITS.maxCodeBytes / 2 + 1) }, "/code"],
      [{ panelId, action: "eval", code: "1", timeoutMs: 1 }, "/timeoutMs"],
      [{ panelId, action: "eval", code: "1", timeoutMs: 600_000 }, "/timeoutMs"],
      [{ panelId, action: "setHeaderHidden" }, "/hidden"],
      [{ panelId, action: "setHeaderHidden", hidden: "yes" }, "/hidden"],
    ];
    for (const [body, pointer] of wrong) {
      const answer = await call("PATCH", PATH, body);
      const what = JSON.stringify(body).slice(0, 80);
      assert.deepEqual([answer.status, answer.body.errors?.[0]?.pointer], [422, pointer], what);
    }
    assert.deepEqual(browser.orders, []);
  });

  test(`${name}: no key 401, a key without the scope 403, somebody else's workspace 403`, async (t) => {
    const { call, panelId, evaluate } = await openSandboxStage(t, stage);
    const body = { panelId, action: "eval", code: "1" };
    const { id } = (await evaluate("1")).body;
    for (const [who, status, reading] of [
      ["", 401, 401],
      ["ada/none", 403, 403],
      ["ada/read", 403, 200],
      ["eve/agent", 403, 403],
    ] as const) {
      assert.equal((await call("PATCH", PATH, body, who)).status, status);
      assert.equal((await call("GET", `${PATH}?panelId=${panelId}`, undefined, who)).status, reading);
      assert.equal((await call("GET", `${PATH}/evals/${id}`, undefined, who)).status, reading);
    }
    const elsewhere = `/api/panels/sandbox/guild/rover/evals/${id}`;
    assert.equal((await call("GET", elsewhere)).body.code, "eval-unknown", "an id is of one workspace");
  });

  test(`${name}: GET reports the sandbox's condition, whether a browser shows it and how much code waits`, async (t) => {
    const site = await openSandboxStage(t, stage);
    const { call, panelId, tabId, browser, tab } = site;
    await site.evaluate("1");
    const report = async () => (await call("GET", `${PATH}?panelId=${panelId}`)).body;
    const standing = { panelId, tabId, headerHidden: false, generation: 0 };
    assert.deepEqual(await report(), { ...standing, live: false, standing: null, queued: 1 });
    browser.mount(tab.workspaceId, tab.tabId);
    const endsAtMs = Date.now() + 120_000;
    while ((await report()).queued > 0) assert.ok(Date.now() < endsAtMs);
    assert.deepEqual(await report(), { ...standing, live: true, standing: "ready", queued: 0 });
  });
}

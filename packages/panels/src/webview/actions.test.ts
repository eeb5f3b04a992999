import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ALL_SCOPES } from "@backplane/contract/accounts";
import { type JsonData, PANELS_LIMITS } from "@backplane/contract/panels";
import { CATALOG } from "../catalog/catalog.ts";
import { openUnderTest } from "./webviews-under-test.suite.ts";

const PATH = "/api/panels/webview/ada/demo";
const typeOf = (kind: string) => CATALOG.find((panel) => panel.kind === kind)?.identifier ?? "";

/** A workspace with one panel, which shows a tab of this kind. */
async function openPanel(t: TestContext, kind = "webview", state = {}) {
  const under = await openUnderTest(t);
  const caller = {
    ...under,
    userId: "id-ada",
    userName: "ada",
    kind: "Browser",
    credentialId: "",
    credentialName: "",
    scopes: ALL_SCOPES,
  } as const;
  const workspace = await under.workspaces.openFor(caller, { owner: "ada", repo: "demo" });
  const panelId = workspace.layout.root.id;
  const tab = { id: "t1", panelType: typeOf(kind), panelState: state };
  await under.workspaces.edit(
    workspace.id,
    () => ({ root: { type: "leaf", id: panelId, tabs: [tab], activeTabId: "t1" }, answer: undefined }),
    { undoable: false },
  );
  return {
    ...under,
    panelId,
    patch: (body: object, person = "program-ada") => under.call("PATCH", PATH, { panelId, ...body }, person),
    report: () => under.call("GET", `${PATH}?panelId=${panelId}`),
    async tab() {
      const root = (await under.workspaces.read(workspace.id))?.root;
      return root?.type === "leaf" ? root.tabs[0] : undefined;
    },
  };
}

test("navigate: load the URL in the frame; 204 with or without an open browser, and it is stored", async (t) => {
  const panel = await openPanel(t, "webview", { title: "Old" });
  assert.deepEqual(await panel.patch({ action: "navigate", url: "https://example.org/a?token=1" }), {
    status: 204,
    body: undefined,
  });
  assert.deepEqual((await panel.tab())?.panelState, { url: "https://example.org/a?token=1", visit: 1 });
  await panel.patch({ action: "navigate", url: "https://example.org/a?token=1" });
  assert.equal((await panel.tab())?.panelState.visit, 2);
  assert.equal((await panel.tab())?.drivenBy, "key of ada");
  assert.equal(panel.browser.orders.length, 0);
  assert.equal(panel.notes[0], "info webview: key of ada opened https://example.org/a");
});

test("setHeaderHidden and setProxyEnabled are stored in the state; a person's browser does not count as driving", async (t) => {
  const panel = await openPanel(t);
  for (const body of [
    { action: "setHeaderHidden", hidden: true },
    { action: "setProxyEnabled", enabled: true },
  ]) {
    assert.equal((await panel.patch(body, "ada")).status, 204);
  }
  assert.deepEqual(await panel.tab(), {
    ...{ id: "t1", panelType: typeOf("webview") },
    panelState: { headerHidden: true, proxyEnabled: true },
  });
  await panel.patch({ action: "setProxyEnabled", enabled: false }, "ada");
  assert.equal((await panel.tab())?.panelState.proxyEnabled, false);
});

test("refresh: the browser reloads the page; with no browser 409 no-browser-session, not reached 504 browser-timeout, no answer 504 outcome-unknown", async (t) => {
  const panel = await openPanel(t);
  const refresh = () => panel.patch({ action: "refresh" });
  assert.deepEqual([(await refresh()).status, (await refresh()).body.code], [409, "no-browser-session"]);
  for (const [reason, code] of [
    ["unreached", "browser-timeout"],
    ["unknown", "outcome-unknown"],
  ] as const) {
    panel.browser.answer = () => ({ ok: false, reason });
    assert.deepEqual([(await refresh()).status, (await refresh()).body.code], [504, code]);
  }
  panel.browser.answer = () => ({ ok: false, reason: "busy" });
  assert.equal((await refresh()).status, 429);
  panel.browser.answer = () => ({ ok: false, reason: "refused", code: "not-mounted", detail: "The tab is not shown." });
  assert.deepEqual([(await refresh()).status, (await refresh()).body.detail], [409, "The tab is not shown."]);
  assert.equal((await panel.tab())?.drivenBy, undefined);
  panel.browser.answer = () => ({ ok: true, value: null });
  assert.equal((await refresh()).status, 204);
  assert.deepEqual(panel.browser.orders.at(-1), { kind: "refresh", tabId: "t1" });
  assert.equal((await panel.tab())?.drivenBy, "key of ada");
});

test("panelId unknown 404; its active tab is of another kind 409 wrong-panel-type", async (t) => {
  const panel = await openPanel(t, "sandbox");
  for (const body of [{ action: "refresh" }, { action: "navigate", url: "https://example.org/" }]) {
    const { status, body: problem } = await panel.patch(body);
    assert.deepEqual([status, problem.code], [409, "wrong-panel-type"]);
    const unknown = await panel.patch({ ...body, panelId: "nowhere" });
    assert.deepEqual([unknown.status, unknown.body.code], [404, "panel-unknown"]);
  }
  assert.equal((await panel.report()).status, 409);
  assert.equal((await panel.call("GET", `${PATH}?panelId=nowhere`)).status, 404);
  assert.equal((await panel.call("GET", PATH)).status, 400);
});

test("an unknown action, a missing or mistyped field is 422 and names exactly that field; unreadable JSON is 400", async (t) => {
  const panel = await openPanel(t);
  const cases: [object, string][] = [
    [{ action: "explode" }, "/action"],
    [{ action: 5 }, "/action"],
    [{}, "/action"],
    [{ action: "navigate" }, "/url"],
    [{ action: "navigate", url: 5 }, "/url"],
    [{ action: "navigate", url: "" }, "/url"],
    [{ action: "setHeaderHidden" }, "/hidden"],
    [{ action: "setHeaderHidden", hidden: "yes" }, "/hidden"],
    [{ action: "setProxyEnabled", enabled: 1 }, "/enabled"],
    [{ action: "refresh", panelId: 7 }, "/panelId"],
    [{ action: "navigate", url: "javascript:alert(1)" }, "/url"],
    [{ action: "navigate", url: "https://user:secret@example.org/" }, "/url"],
    [{ action: "navigate", url: `https://example.org/${"a".repeat(PANELS_LIMITS.maxUrlLength)}` }, "/url"],
    [{ action: "navigate", url: `https://example.org/${"é".repeat(PANELS_LIMITS.maxUrlLength / 2)}` }, "/url"],
  ];
  for (const [body, pointer] of cases) {
    const { status, body: problem } = await panel.patch(body);
    assert.equal(status, 422, JSON.stringify(body).slice(0, 80));
    assert.deepEqual(
      problem.errors.map((fault: { pointer: string }) => fault.pointer),
      [pointer],
    );
    assert.ok(problem.detail.startsWith(pointer));
  }
  for (const body of ["[]", "null", '"text"']) assert.equal((await panel.call("PATCH", PATH, body)).status, 422, body);
  assert.equal((await panel.call("PATCH", PATH, "{")).status, 400);
  assert.deepEqual((await panel.tab())?.panelState, {});
});

test("missing or wrong key 401; not one's workspace 403; a key that only reads gets the report, and drives nothing: 403", async (t) => {
  const panel = await openPanel(t);
  const body = { panelId: panel.panelId, action: "setHeaderHidden", hidden: true };
  assert.equal((await panel.call("PATCH", PATH, body, "")).status, 401);
  for (const [person, status, reading] of [
    ["", 401, 401],
    ["bob", 403, 403],
    ["reader-bob", 403, 403],
    ["reader-ada", 403, 200],
  ] as const) {
    const call = async (...request: Parameters<typeof panel.call>) => (await panel.call(...request)).status;
    assert.equal(await call("PATCH", PATH, body, person), status, person);
    assert.equal(await call("POST", `${PATH}/pass`, { url: "https://example.org/" }, person), status, person);
    assert.equal(await call("GET", `${PATH}?panelId=${panel.panelId}`, undefined, person), reading, person);
  }
  assert.deepEqual((await panel.tab())?.panelState, {});
});

test("the report is what the browser shows; without a browser or a valid answer, it comes from the state", async (t) => {
  const panel = await openPanel(t, "webview", { url: "https://example.org/", title: "Kept", proxyEnabled: true });
  const kept = {
    ...{ panelId: panel.panelId, tabId: "t1", url: "https://example.org/", title: "Kept", scroll: null },
    ...{ loading: false, headerHidden: false, proxyEnabled: true, live: false, fault: null },
  };
  assert.deepEqual(await panel.report(), { status: 200, body: kept });
  const shown = {
    url: "https://example.org/b",
    title: "B",
    scroll: { x: 0, y: 5, height: 900 },
    loading: true,
    fault: null,
  };
  panel.browser.answer = () => ({ ok: true, value: shown });
  assert.deepEqual((await panel.report()).body, { ...kept, ...shown, live: true });
  const nonsense: JsonData[] = [
    null,
    "text",
    { ...shown, url: 5 },
    { ...shown, scroll: { x: "1" } },
    { ...shown, loading: null },
  ];
  for (const value of nonsense) {
    panel.browser.answer = () => ({ ok: true, value });
    assert.deepEqual((await panel.report()).body, kept, JSON.stringify(value));
  }
  panel.browser.answer = () => ({ ok: true, value: { ...shown, title: "x".repeat(5_000), more: "y" } });
  const { body } = await panel.report();
  assert.deepEqual([body.title.length, body.more], [300, undefined]);
});

test("a pass is for http and https only; each site has its own frame", async (t) => {
  const panel = await openPanel(t);
  const pass = (body: object) => panel.call("POST", `${PATH}/pass`, body);
  for (const body of [{}, { url: 5 }, { url: "file:///etc/passwd" }, { url: "https://a:b@example.org/" }]) {
    const { status, body: problem } = await pass(body);
    assert.deepEqual([status, problem.errors[0].pointer], [422, "/url"]);
  }
  const { status, body } = await pass({ url: "https://example.org/a?b=1#c" });
  assert.equal(status, 200);
  assert.match(body.label, /^w-[a-z2-7]{32}$/);
  assert.equal(body.origin, `http://${body.label}.localhost:8790`);
  assert.ok(body.src.startsWith(`${body.origin}/.backplane/enter?pass=`));
  assert.equal((await pass({ url: "https://example.org/other" })).body.label, body.label);
  assert.notEqual((await pass({ url: "http://example.org/" })).body.label, body.label);
});

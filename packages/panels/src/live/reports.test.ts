import assert from "node:assert/strict";
import { test } from "node:test";
import { type Layout, PANELS_LIMITS } from "@backplane/contract/panels";
import { openLiveForTest } from "./live-under-test.suite.ts";
import { until } from "./page.suite.ts";

const stage = { name: "one instance", instances: 1 } as const;

async function openWithTabs(t: Parameters<typeof openLiveForTest>[0]) {
  const under = await openLiveForTest(t, stage, { reportEveryMs: 20 });
  const id = await under.workspaceId("demo");
  const tabs = [
    { id: "web", panelType: "webview", panelState: { url: "https://example.org/", visit: 3 } },
    { id: "box", panelType: "sandbox", panelState: {} },
  ];
  const root: Layout["root"] = { type: "leaf", id: "leaf", tabs, activeTabId: "web" };
  await under.first.workspaces.edit(id, () => ({ root, answer: undefined }), { undoable: false });
  const page = await under.open("demo");
  const stateOf = async (tabId: string) => {
    const layout = await under.first.workspaces.read(id);
    assert.ok(layout?.root.type === "leaf");
    return layout.root.tabs.find((tab) => tab.id === tabId)?.panelState;
  };
  return { under, id, page, stateOf };
}

test("what a web view shows is stored in its state, only the last report, and causes no navigation", async (t) => {
  const { under, id, page, stateOf } = await openWithTabs(t);
  const before = (await under.first.workspaces.read(id))?.revision ?? 0;
  for (let i = 0; i <= 50; i += 1) {
    page.send({ type: "report", tabId: "web", url: `https://example.org/${i}`, title: `Page ${i}` });
  }
  await until("the last one is kept", async () => (await stateOf("web"))?.title === "Page 50");
  assert.deepEqual(await stateOf("web"), { url: "https://example.org/50", title: "Page 50", visit: 3 });
  const after = (await under.first.workspaces.read(id))?.revision ?? 0;
  assert.ok(after - before <= 5, `${after - before} changes were written`);
});

test("reports of other panels, of tabs that do not exist and of known values change nothing", async (t) => {
  const { under, id, page, stateOf } = await openWithTabs(t);
  const before = await under.first.workspaces.read(id);
  page.send({ type: "report", tabId: "box", url: "https://example.org/", title: "A sandbox" });
  for (let i = 0; i < 2 * PANELS_LIMITS.maxTabs; i += 1) page.send({ type: "report", tabId: `no-${i}`, title: "x" });
  page.send({ type: "report", tabId: "web", url: "https://example.org/" });
  page.send({ type: "report", tabId: "web", url: "javascript:alert(1)" });
  await until("they were looked at", async () => {
    page.send({ type: "report", tabId: "web", title: "Last" });
    return (await stateOf("web"))?.title === "Last";
  });
  const after = await under.first.workspaces.read(id);
  assert.equal(after?.revision, (before?.revision ?? 0) + 1);
  assert.deepEqual(await stateOf("box"), {});
});

test("a report about a page that the web view has left is ignored", async (t) => {
  const { page, stateOf } = await openWithTabs(t);
  page.send({ type: "report", tabId: "web", url: "https://example.org/left", title: "Left", visit: 2 });
  page.send({ type: "report", tabId: "web", title: "Present", visit: 3 });
  await until("the other one is kept", async () => (await stateOf("web"))?.title === "Present");
  assert.deepEqual(await stateOf("web"), { url: "https://example.org/", title: "Present", visit: 3 });
});

test("a browser that floods is closed, and others are not", async (t) => {
  const under = await openLiveForTest(t, stage, { messageBurst: 100, messagesPerSecond: 1 });
  const [page, other] = [await under.open("demo"), await under.open("demo")];
  for (let i = 0; i < 200; i += 1) page.send({ type: "mounted", tabId: "a" });
  assert.equal(await page.closed(), 1008);
  assert.equal((await other.hears("primary")).isPrimary, true);
});

test("a message that is too large is refused and the connection stays", async (t) => {
  const under = await openLiveForTest(t, stage);
  const page = await under.open("demo");
  page.sendText("x".repeat(700_000));
  assert.equal((await page.hears("error")).code, "payload-too-large");
  assert.deepEqual(
    await under.first.live.ask(await under.workspaceId("demo"), { kind: "refresh", tabId: "a" }, { timeoutMs: 30_000 }),
    { ok: true, value: "done" },
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Layout } from "@backplane/contract/panels";
import { createDockStore, follow, mountedTabs, type Now } from "./dock-store.ts";
import { fakeLive, leafLayout, splitLayout } from "./fake-live.suite.ts";

const nobody = () => undefined;

test("a chosen tab is shown at once, and an older layout does not take it back", () => {
  const live = fakeLive(leafLayout(1, "1", "1", "2"));
  const store = createDockStore(live, nobody);
  const choice = store.choose("a", "2");
  assert.equal(store.state().shown.get("a"), "2");
  choice.settled(3);
  live.receive(leafLayout(2, "1", "1", "2"));
  assert.equal(store.state().shown.get("a"), "2");
  live.receive(leafLayout(3, "2", "1", "2"));
  live.receive(leafLayout(4, "1", "1", "2"));
  assert.equal(store.state().shown.get("a"), "1");
});

test("a choice that the server refuses is taken back", () => {
  const store = createDockStore(fakeLive(leafLayout(1, "1", "1", "2")), nobody);
  store.choose("a", "2").settled(undefined);
  assert.equal(store.state().shown.get("a"), "1");
});

test("of two choices the later one counts, in whatever order they are answered", () => {
  const store = createDockStore(fakeLive(leafLayout(1, "1", "1", "2", "3")), nobody);
  const first = store.choose("a", "2");
  store.choose("a", "3");
  first.settled(undefined);
  assert.equal(store.state().shown.get("a"), "3");
});

test("what a program opens stays behind the tab in which somebody types; what the user opens comes to the front", async () => {
  const live = fakeLive(leafLayout(1, "1", "1"));
  const store = createDockStore(live, () => "1");
  live.receive(leafLayout(2, "2", "1", "2"));
  assert.equal(store.state().shown.get("a"), "1");
  await store.runOwnEdit(async () => live.receive(leafLayout(3, "3", "1", "2", "3")));
  assert.equal(store.state().shown.get("a"), "3");
});

test("after an edit, the next key waits until the layout with it is there", async () => {
  const live = fakeLive(leafLayout(1, "1", "1", "2"));
  const store = createDockStore(live, nobody);
  assert.equal(store.caughtUp(), undefined);
  await store.runOwnEdit(
    async () => 2,
    (revision) => revision,
  );
  let isThere = false;
  const wait = store.caughtUp()?.then(() => {
    isThere = true;
  });
  await new Promise(setImmediate);
  assert.equal(isThere, false);
  live.receive(leafLayout(2, "2", "2"));
  await wait;
  assert.equal(isThere, true);
  await new Promise(setImmediate);
  assert.equal(store.caughtUp(), undefined);
});

test("an edit that was refused keeps no key waiting", async () => {
  const store = createDockStore(fakeLive(leafLayout(1, "1", "1")), nobody);
  await assert.rejects(store.runOwnEdit(() => Promise.reject(new Error("no connection"))));
  await new Promise(setImmediate);
  assert.equal(store.caughtUp(), undefined);
});

test("a split keeps the ratio it was dropped at until a layout has it", () => {
  const live = fakeLive(splitLayout(1));
  const store = createDockStore(live, nobody);
  store.preview("s", 0.7);
  store.settleRatio("s", 3);
  live.receive(splitLayout(2));
  assert.equal(store.state().ratios.get("s"), 0.7);
  live.receive(splitLayout(3, 0.7));
  assert.equal(store.state().ratios.size, 0);
  store.preview("s", 0.2);
  store.settleRatio("s", undefined);
  assert.equal(store.state().ratios.size, 0);
});

test("listeners are called on every change until the store is closed", () => {
  const live = fakeLive(leafLayout(1, "1", "1"));
  const store = createDockStore(live, nobody);
  let count = 0;
  store.subscribe(() => {
    count += 1;
  });
  live.receive(leafLayout(2, "1", "1", "2"));
  store.close();
  live.receive(leafLayout(3, "1", "1"));
  assert.equal(count, 1);
});

const tab = (id: string) => ({ id, panelType: "backplane/x", panelState: {} });
const editorAndSite = (activeTabId: string, tabs = ["editor", "site"], revision = 4): Layout => ({
  revision,
  root: { type: "leaf", id: "a", tabs: tabs.map(tab), activeTabId },
});
const nothing: Now = { choices: new Map(), typingIn: undefined, isOwn: false };
const editorShown = { layout: editorAndSite("editor", undefined, 3), shown: new Map([["a", "editor"]]) };

const shown = (now: Partial<Now>, after = editorAndSite("site"), before = editorShown) =>
  follow(before, after, { ...nothing, ...now }).get("a");

test("a panel shows the tab that the server says is active", () => {
  assert.equal(follow({ layout: undefined, shown: new Map() }, editorAndSite("site"), nothing).get("a"), "site");
  assert.equal(shown({}), "site");
});

test("a program does not cover the tab in which somebody types, not even later", () => {
  assert.equal(shown({ typingIn: "editor" }), "editor");
  const held = { layout: editorAndSite("site"), shown: editorShown.shown };
  assert.equal(shown({}, editorAndSite("site", undefined, 5), held), "editor");
});

test("it does when the user asked for it, types elsewhere, or their tab is gone", () => {
  assert.equal(shown({ typingIn: "editor", isOwn: true }), "site");
  assert.equal(shown({ typingIn: "other" }), "site");
  assert.equal(shown({ typingIn: "editor" }, editorAndSite("site", ["site"])), "site");
});

test("a choice made here holds until a layout knows of it", () => {
  const chosen = (revision: number | undefined, at: number) =>
    shown({ choices: new Map([["a", { tabId: "site", revision }]]) }, editorAndSite("editor", undefined, at));
  assert.equal(chosen(undefined, 4), "site");
  assert.equal(chosen(5, 4), "site");
  assert.equal(chosen(5, 5), "editor");
});

test("an empty panel shows nothing", () => {
  const empty: Layout = { revision: 1, root: { type: "leaf", id: "a", tabs: [], activeTabId: null } };
  assert.equal(follow(editorShown, empty, nothing).size, 0);
});

const layout = (tabs: string[], activeTabId: string): Layout => ({
  revision: 1,
  root: {
    ...{ type: "leaf", id: "a", activeTabId },
    tabs: tabs.map((id) => ({ id, panelType: "backplane/x", panelState: {} })),
  },
});

test("a tab is mounted when it is first shown, and stays until it is closed", () => {
  const first = mountedTabs([], layout(["1", "2", "3"], "2"), new Map([["a", "2"]]));
  assert.deepEqual(first, ["2"]);
  const second = mountedTabs(first, layout(["1", "2", "3"], "1"), new Map([["a", "1"]]));
  assert.deepEqual(second, ["2", "1"]);
  assert.deepEqual(mountedTabs(second, layout(["3", "1"], "1"), new Map([["a", "1"]])), ["1"]);
});

test("moving tabs changes nothing, not even the list", () => {
  const before = ["2", "1"];
  assert.equal(mountedTabs(before, layout(["3", "2", "1"], "2"), new Map([["a", "2"]])), before);
});

test("a tab that a program activates behind the one in use is mounted as well", () => {
  assert.deepEqual(mountedTabs(["1"], layout(["1", "2"], "2"), new Map([["a", "1"]])), ["1", "2"]);
});

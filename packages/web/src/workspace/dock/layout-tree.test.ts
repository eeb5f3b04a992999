import assert from "node:assert/strict";
import { test } from "node:test";
import type { CatalogPanel, Layout, Tab } from "@backplane/contract/panels";
import { catalogOf, describeChanges, tabIcon, tabName } from "./layout-tree.ts";

const catalog = catalogOf([{ identifier: "backplane/1", name: "Web view", icon: "globe" } as CatalogPanel]);
const webviewTab = (more: Partial<Tab>): Tab => ({ id: "t", panelType: "backplane/1", panelState: {}, ...more });

test("a chosen name comes before the panel's title, and that before its kind", () => {
  const titles = new Map([["t", "MD340 pins"]]);
  assert.equal(tabName(webviewTab({ displayName: "Gate driver" }), catalog, titles), "Gate driver");
  assert.equal(tabName(webviewTab({}), catalog, titles), "MD340 pins");
  assert.equal(tabName(webviewTab({}), catalog), "Web view");
  assert.equal(tabName(webviewTab({ panelType: "gone/2" }), catalog), "Panel");
  assert.equal(tabName(webviewTab({ panelType: "acme/page", aliasOf: "backplane/1" }), catalog), "Web view");
});

test("a tab that was not shown yet is named by its state", () => {
  assert.equal(tabName(webviewTab({ panelState: { title: "Pins" } }), catalog), "Pins");
  assert.equal(tabName(webviewTab({ panelState: { title: " ", path: "src/yaw-pid.ts" } }), catalog), "yaw-pid.ts");
});

test("a chosen icon is never replaced", () => {
  assert.deepEqual(tabIcon(webviewTab({ displayIcon: "cube" }), catalog), { name: "cube", own: "globe" });
  assert.deepEqual(tabIcon(webviewTab({}), catalog), { name: "globe", own: "globe" });
  const icons = new Map([["t", "data:image/png;base64,AAAA"]]);
  assert.equal(tabIcon(webviewTab({ displayIcon: "cube" }), catalog, icons).name, "cube");
  assert.equal(tabIcon(webviewTab({}), catalog, icons).name, "data:image/png;base64,AAAA");
});

const tab = (id: string, displayName?: string): Tab => ({
  ...{ id, panelType: "backplane/x", panelState: {} },
  ...(displayName === undefined ? {} : { displayName }),
});
const nameOf = ({ id, displayName }: Tab) => displayName ?? id;
const layout = (a: Tab[], b: Tab[]): Layout => ({
  revision: 1,
  root: {
    ...{ type: "split", id: "s", direction: "horizontal", ratio: 0.5 },
    first: { type: "leaf", id: "a", tabs: a, activeTabId: null },
    second: { type: "leaf", id: "b", tabs: b, activeTabId: null },
  },
});

test("opening, closing, moving and renaming are announced", () => {
  const before = layout([tab("Log"), tab("Editor")], [tab("Site")]);
  const changesTo = (after: Layout) => describeChanges(before, after, nameOf);
  assert.equal(changesTo(layout([tab("Log")], [tab("Site")])), "Editor closed.");
  assert.equal(changesTo(layout([tab("Log"), tab("Editor")], [tab("Site"), tab("3D")])), "3D opened.");
  assert.equal(changesTo(layout([tab("Log")], [tab("Site"), tab("Editor")])), "Editor moved beside Site.");
  assert.equal(changesTo(layout([tab("Log"), tab("Editor", "yaw.ts")], [tab("Site")])), "Editor is now yaw.ts.");
});

test("a new order within a leaf, or another state, is not", () => {
  const before = layout([tab("Log"), tab("Editor")], [tab("Site")]);
  assert.equal(describeChanges(before, layout([tab("Editor"), tab("Log")], [tab("Site")]), nameOf), "");
});

test("many changes at once are counted", () => {
  const many = ["1", "2", "3", "4", "5"].map((id) => tab(id));
  assert.equal(
    describeChanges(layout(many, []), layout([], []), nameOf),
    "1 closed. 2 closed. 3 closed. 2 more changes.",
  );
});

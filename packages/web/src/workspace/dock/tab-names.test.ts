import assert from "node:assert/strict";
import { test } from "node:test";
import type { CatalogPanel, Tab } from "@backplane/contract/panels";
import { catalogOf, tabIcon, tabName } from "./tab-names.ts";

const catalog = catalogOf([{ identifier: "backplane/1", name: "Web view", icon: "globe" } as CatalogPanel]);
const tab = (more: Partial<Tab>): Tab => ({ id: "t", panelType: "backplane/1", panelState: {}, ...more });

test("a chosen name comes before what the panel says, and that before its kind", () => {
  const titles = new Map([["t", "MD340 pins"]]);
  assert.equal(tabName(tab({ displayName: "Gate driver" }), catalog, titles), "Gate driver");
  assert.equal(tabName(tab({}), catalog, titles), "MD340 pins");
  assert.equal(tabName(tab({}), catalog), "Web view");
  assert.equal(tabName(tab({ panelType: "gone/2" }), catalog), "Panel");
});

test("a tab that was not shown yet is named by its state", () => {
  assert.equal(tabName(tab({ panelState: { title: "Pins" } }), catalog), "Pins");
  assert.equal(tabName(tab({ panelState: { title: " ", path: "src/yaw-pid.ts" } }), catalog), "yaw-pid.ts");
});

test("a chosen icon is never replaced", () => {
  assert.equal(tabIcon(tab({ displayIcon: "cube" }), catalog), "cube");
  assert.equal(tabIcon(tab({}), catalog), "globe");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Layout } from "@backplane/contract/panels";
import { mountedTabs } from "./mounted-tabs.ts";

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

test("a tab that a program shows behind what somebody types in is mounted as well", () => {
  assert.deepEqual(mountedTabs(["1"], layout(["1", "2"], "2"), new Map([["a", "1"]])), ["1", "2"]);
});

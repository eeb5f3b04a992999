import assert from "node:assert/strict";
import { test } from "node:test";
import type { LayoutNode } from "@backplane/contract/panels";
import { outlineOf } from "./outline.ts";
import { tab } from "./sample.suite.ts";

const leaf = (id: string, kind?: string): LayoutNode => ({
  ...{ type: "leaf", id, tabs: kind === undefined ? [] : [tab(`${id}-tab`, kind)] },
  activeTabId: kind === undefined ? null : `${id}-tab`,
});
const split = (direction: "horizontal" | "vertical", ratio: number, first: LayoutNode, second: LayoutNode) =>
  ({ type: "split", id: "split", direction, ratio, first, second }) as const;

test("an outline has the place and kind of each panel, and nothing of its content", () => {
  const root = split("horizontal", 0.6, leaf("a", "webview"), split("vertical", 0.25, leaf("b", "sandbox"), leaf("c")));
  assert.deepEqual(outlineOf(root), [
    { left: 0, top: 0, width: 0.6, height: 1, kind: "webview" },
    { left: 0.6, top: 0, width: 0.4, height: 0.25, kind: "sandbox" },
    { left: 0.6, top: 0.25, width: 0.4, height: 0.75, kind: null },
  ]);
});

test("splits that are too deep to be seen count as one panel", () => {
  let root = leaf("last", "sandbox");
  for (let depth = 0; depth < 32; depth += 1) root = split("vertical", 0.5, leaf(`l${depth}`, "webview"), root);
  assert.equal(outlineOf(root).length, 5);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Layout } from "@backplane/contract/panels";
import { follow, type Now } from "./shown-tabs.ts";

const tab = (id: string) => ({ id, panelType: "backplane/x", panelState: {} });
const layout = (activeTabId: string, tabs = ["editor", "site"], revision = 4): Layout => ({
  revision,
  root: { type: "leaf", id: "a", tabs: tabs.map(tab), activeTabId },
});
const nothing: Now = { choices: new Map(), typingIn: undefined, isOwn: false };
const editor = { layout: layout("editor", undefined, 3), shown: new Map([["a", "editor"]]) };

const shown = (now: Partial<Now>, after = layout("site"), before = editor) =>
  follow(before, after, { ...nothing, ...now }).get("a");

test("a panel shows the tab that the server says is active", () => {
  assert.equal(follow({ layout: undefined, shown: new Map() }, layout("site"), nothing).get("a"), "site");
  assert.equal(shown({}), "site");
});

test("what somebody types in is not covered by what a program shows, nor later when they stop", () => {
  assert.equal(shown({ typingIn: "editor" }), "editor");
  const held = { layout: layout("site"), shown: editor.shown };
  assert.equal(shown({}, layout("site", undefined, 5), held), "editor");
});

test("it is when the user asked for it, when they type elsewhere, or when their tab is gone", () => {
  assert.equal(shown({ typingIn: "editor", isOwn: true }), "site");
  assert.equal(shown({ typingIn: "other" }), "site");
  assert.equal(shown({ typingIn: "editor" }, layout("site", ["site"])), "site");
});

test("a choice made here holds until a layout knows of it", () => {
  const chosen = (revision: number | undefined, at: number) =>
    shown({ choices: new Map([["a", { tabId: "site", revision }]]) }, layout("editor", undefined, at));
  assert.equal(chosen(undefined, 4), "site");
  assert.equal(chosen(5, 4), "site");
  assert.equal(chosen(5, 5), "editor");
});

test("an empty panel shows nothing", () => {
  const empty: Layout = { revision: 1, root: { type: "leaf", id: "a", tabs: [], activeTabId: null } };
  assert.equal(follow(editor, empty, nothing).size, 0);
});

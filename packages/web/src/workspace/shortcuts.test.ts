import assert from "node:assert/strict";
import { test } from "node:test";
import { type Key, shortcutLines, shortcutOf } from "./shortcuts.ts";

const key = (key: string, more: Partial<Key> = {}): Key => ({
  ...{ key, code: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false },
  ...more,
});
const free = { isTyping: false, isMac: false };
const typing = { isTyping: true, isMac: false };

test("in text fields only F6 and Ctrl K are shortcuts", () => {
  assert.deepEqual(shortcutOf(key("F6"), typing), { do: "panel", step: 1 });
  assert.deepEqual(shortcutOf(key("F6", { shiftKey: true }), typing), { do: "panel", step: -1 });
  assert.deepEqual(shortcutOf(key("k", { code: "KeyK", ctrlKey: true }), typing), { do: "add" });
  for (const other of [
    key("?", { shiftKey: true }),
    key("z", { code: "KeyZ", ctrlKey: true }),
    key("ArrowUp", { altKey: true, shiftKey: true }),
    key("w", { code: "KeyW", altKey: true, shiftKey: true }),
  ]) {
    assert.equal(shortcutOf(other, typing), undefined);
  }
});

test("elsewhere they move, split, maximise and close tabs, and undo changes", () => {
  const alt = { altKey: true, shiftKey: true };
  assert.deepEqual(shortcutOf(key("ArrowUp", alt), free), { do: "move", side: "up" });
  assert.deepEqual(shortcutOf(key("Â", { ...alt, code: "KeyM" }), free), { do: "maximise" });
  assert.deepEqual(shortcutOf(key("R", { ...alt, code: "KeyR" }), free), { do: "split", side: "right" });
  assert.deepEqual(shortcutOf(key("z", { code: "KeyZ", ctrlKey: true }), free), { do: "undo" });
  assert.deepEqual(shortcutOf(key("?", { shiftKey: true }), free), { do: "help" });
});

test("keys of the browser and the system are not shortcuts", () => {
  assert.equal(shortcutOf(key("k", { code: "KeyK", ctrlKey: true, shiftKey: true }), free), undefined);
  assert.equal(shortcutOf(key("z", { code: "KeyZ", ctrlKey: true, shiftKey: true }), free), undefined);
  assert.equal(shortcutOf(key("ArrowLeft", { altKey: true }), free), undefined);
  assert.equal(shortcutOf(key("k", { code: "KeyK", ctrlKey: true }), { isTyping: false, isMac: true }), undefined);
});

test("the list shows the keys of the operating system", () => {
  assert.deepEqual(shortcutLines(true)[0]?.keys, ["⌘", "K"]);
  assert.deepEqual(shortcutLines(false)[0]?.keys, ["Ctrl", "K"]);
});

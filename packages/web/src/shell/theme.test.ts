import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { applyTheme, nextTheme, rememberTheme, THEME_KEY, type Theme, themeLabel, themeOf } from "./theme.ts";

type Root = { dataset: { theme?: string } };

function storageOf(entries: Map<string, string>) {
  return {
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => void entries.set(key, value),
    removeItem: (key: string) => void entries.delete(key),
  };
}

test("the switch cycles through system, light and dark", () => {
  assert.equal(nextTheme("system"), "light");
  assert.equal(nextTheme("light"), "dark");
  assert.equal(nextTheme("dark"), "system");
});

test("the label says the current theme and what a press does", () => {
  assert.equal(themeLabel("system"), "Theme: system. Switch to light");
  assert.equal(themeLabel("dark"), "Theme: dark. Switch to system");
});

test("an unknown theme counts as system", () => {
  assert.equal(themeOf({ dataset: { theme: "sepia" } }), "system");
});

test("the applied theme is read back", () => {
  const root: Root = { dataset: {} };
  for (const theme of ["dark", "light", "system"] satisfies Theme[]) {
    applyTheme(root, theme);
    assert.equal(themeOf(root), theme);
  }
  assert.deepEqual(root.dataset, {});
});

test("the script before the first paint applies the saved theme", () => {
  const script = readFileSync(new URL("../../public/theme.js", import.meta.url), "utf8");
  const entries = new Map<string, string>();
  const open = (): Root => {
    const root: Root = { dataset: {} };
    runInNewContext(script, { localStorage: storageOf(entries), document: { documentElement: root } });
    return root;
  };

  rememberTheme(storageOf(entries), "dark");
  assert.equal(themeOf(open()), "dark");

  rememberTheme(storageOf(entries), "system");
  assert.equal(entries.has(THEME_KEY), false);
  assert.equal(themeOf(open()), "system");
});

test("the script before the first paint survives blocked storage", () => {
  const script = readFileSync(new URL("../../public/theme.js", import.meta.url), "utf8");
  const root: Root = { dataset: {} };
  const localStorage = {
    getItem() {
      throw new Error("blocked");
    },
  };
  runInNewContext(script, { localStorage, document: { documentElement: root } });
  assert.equal(themeOf(root), "system");
});

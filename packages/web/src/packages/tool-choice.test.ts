import assert from "node:assert/strict";
import { test } from "node:test";
import {
  guessPlatform,
  loadTools,
  namedTools,
  offeredTools,
  readChoice,
  saveTools,
  TOOL_KEY,
  toolHead,
  toolWords,
  withChoice,
} from "./tool-choice.ts";

const NONE = { chosen: undefined, recent: [] };
const nine = { tool: "9.0", platform: "linux" } as const;
const eight = { tool: "8.0.4", platform: "windows" } as const;

function memory(first?: string) {
  const kept = new Map<string, string>(first === undefined ? [] : [[TOOL_KEY, first]]);
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
}

test("a choice needs a tool version and a platform", () => {
  assert.deepEqual(readChoice("9.0", "linux"), nine);
  for (const [tool, platform] of [
    ["9.x", "linux"],
    ["9.0.0.1", "linux"],
    ["900", "linux"],
    ["9.0", "toString"],
    ["9.0", null],
    [null, "linux"],
  ]) {
    assert.equal(readChoice(tool, platform), undefined);
  }
});

test("a choice is remembered, together with recent ones", () => {
  const storage = memory();
  saveTools(storage, withChoice(withChoice(NONE, eight), nine));
  assert.deepEqual(loadTools(storage), { chosen: nine, recent: [nine, eight] });
  saveTools(storage, withChoice(loadTools(storage), undefined));
  assert.deepEqual(loadTools(storage), { chosen: undefined, recent: [nine, eight] });
  saveTools(storage, withChoice(loadTools(storage), eight));
  assert.deepEqual(loadTools(storage), { chosen: eight, recent: [eight, nine] });
});

test("invalid stored values are ignored", () => {
  for (const text of ["", "null", "7", "[]", "{", '{"chosen":{"tool":"<b>","platform":"linux"},"recent":"x"}']) {
    assert.deepEqual(loadTools(memory(text)), NONE, text);
  }
});

test("only the last five are remembered", () => {
  const many = ["1", "2", "3", "4", "5", "6"].reduce(
    (tools, tool) => withChoice(tools, { tool, platform: "linux" }),
    loadTools(memory()),
  );
  assert.deepEqual(
    many.recent.map(({ tool }) => tool),
    ["6", "5", "4", "3", "2"],
  );
});

test("the tools that a package names are offered once each, latest first", () => {
  const named = namedTools([
    { tool_version: "9.0" },
    { tool_version: "8.0", tool_version_max: "9.0" },
    { tool_version: "6.0", tool_version_max: "10.1" },
  ]);
  assert.deepEqual(named, ["10.1", "9.0", "8.0", "6.0"]);
  assert.deepEqual(
    offeredTools({ chosen: nine, recent: [nine, eight] }, nine, ["9.0", "8.0"], "linux").map(toolWords),
    ["Tool 9.0 on Linux", "Tool 8.0.4 on Windows", "Tool 8.0 on Linux"],
  );
});

test("words, and the first guess of the platform", () => {
  assert.equal(toolWords({ tool: "9.0.2", platform: "macos" }), "Tool 9.0.2 on macOS");
  assert.equal(toolHead(nine), "On tool 9.0, Linux");
  assert.equal(guessPlatform("Win32"), "windows");
  assert.equal(guessPlatform("MacIntel"), "macos");
  assert.equal(guessPlatform("Linux x86_64"), "linux");
  assert.equal(guessPlatform(""), "linux");
});

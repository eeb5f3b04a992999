import assert from "node:assert/strict";
import { test } from "node:test";
import {
  guessPlatform,
  keepTools,
  keptTools,
  namedTools,
  offeredTools,
  readChoice,
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

test("a choice is remembered, and what was chosen before stays at hand", () => {
  const storage = memory();
  keepTools(storage, withChoice(withChoice(NONE, eight), nine));
  assert.deepEqual(keptTools(storage), { chosen: nine, recent: [nine, eight] });
  keepTools(storage, withChoice(keptTools(storage), undefined));
  assert.deepEqual(keptTools(storage), { chosen: undefined, recent: [nine, eight] });
  keepTools(storage, withChoice(keptTools(storage), eight));
  assert.deepEqual(keptTools(storage), { chosen: eight, recent: [eight, nine] });
});

test("a storage that holds anything else remembers nothing", () => {
  for (const text of ["", "null", "7", "[]", "{", '{"chosen":{"tool":"<b>","platform":"linux"},"recent":"x"}']) {
    assert.deepEqual(keptTools(memory(text)), NONE, text);
  }
});

test("only the last five are remembered", () => {
  const many = ["1", "2", "3", "4", "5", "6"].reduce(
    (tools, tool) => withChoice(tools, { tool, platform: "linux" }),
    keptTools(memory()),
  );
  assert.deepEqual(
    many.recent.map(({ tool }) => tool),
    ["6", "5", "4", "3", "2"],
  );
});

test("the tools that a package names are offered, the latest first, each once", () => {
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

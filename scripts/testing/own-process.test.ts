import assert from "node:assert/strict";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import test from "node:test";
import { root } from "./files.ts";
import { groupFiles } from "./own-process.ts";

/** Writes files of these names and gives their groups by name. */
function groupsOf(sources: Record<string, string>, groupSize: number): string[][] {
  using folder = mkdtempDisposableSync(join(tmpdir(), "backplane-groups-"));
  for (const [name, source] of Object.entries(sources)) writeFileSync(join(folder.path, name), source);
  const files = Object.keys(sources).filter((name) => name.endsWith(".test.ts"));
  const paths = files.map((name) => relative(root, join(folder.path, name)));
  return groupFiles(paths, groupSize).map((group) => group.map((path) => path.split("/").at(-1) ?? ""));
}

test("neighbours share a process, as many as may", () => {
  const plain = { "a.test.ts": "", "b.test.ts": "", "c.test.ts": "" };
  assert.deepEqual(groupsOf(plain, 2), [["a.test.ts", "b.test.ts"], ["c.test.ts"]]);
});

test("a file that measures or changes its whole process has one of its own, also when a suite does that for it", () => {
  const sources = {
    "a.test.ts": "",
    "memory.test.ts": "const before = process.memoryUsage.rss();",
    "environment.test.ts": 'process.env.TZ = "UTC";',
    "clock.test.ts": "mock.timers.enable();",
    "global.test.ts": 'Reflect.set(globalThis, "document", {});',
    "suite.test.ts": 'import { laws } from "./patched.suite.ts";',
    "patched.suite.ts": "syncBuiltinESMExports();",
    "z.test.ts": "t.mock.timers.enable(); const { TZ } = process.env; if (process.env.TZ === undefined) return;",
  };
  assert.deepEqual(groupsOf(sources, 9), [
    ["a.test.ts", "z.test.ts"],
    ["memory.test.ts"],
    ["environment.test.ts"],
    ["clock.test.ts"],
    ["global.test.ts"],
    ["suite.test.ts"],
  ]);
});

test("e2e files share a process, the long ones have their own", () => {
  const files = ["e2e/up.test.ts", "e2e/platform.test.ts", "e2e/gateway.test.ts", "e2e/intents.test.ts"];
  assert.deepEqual(groupFiles(files, 4), [["e2e/up.test.ts"], ["e2e/platform.test.ts"], files.slice(2)]);
});

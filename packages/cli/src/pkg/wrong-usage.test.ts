import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../../bin/backplane.js", import.meta.url));
const pkg = (...args: string[]) => spawnSync(process.execPath, [CLI, "pkg", ...args], { encoding: "utf8" });

test("wrong usage is exit code 2: a sentence for people, one JSON value for programs", () => {
  const asText = pkg("install");
  assert.deepEqual([asText.status, asText.stdout], [2, ""]);
  assert.match(asText.stderr, /^error: name a package, or give --lock or --bundle\n/);
  const asJson = pkg("search", "--limit", "0", "--json");
  assert.deepEqual([asJson.status, asJson.stderr], [2, ""]);
  const { error } = JSON.parse(asJson.stdout) as { error: { code: string; message: string } };
  assert.equal(error.code, "wrong-usage");
  assert.match(error.message, /'--limit <count>'.*Use a whole number from 1 to 1000/);
});

test("the help lists every exit code", () => {
  const { stdout, status } = pkg("--help");
  assert.equal(status, 0);
  for (const code of [0, 1, 2, 3, 4, 5, 6, 130]) assert.match(stdout, new RegExp(`\\b${code} [a-z]`), String(code));
});

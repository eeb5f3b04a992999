import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { withLock } from "./lock.mjs";

test("of many that want the lock, one works at a time", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "backplane-lock-"));
  const file = join(folder.path, "lock");
  let working = 0;
  let most = 0;
  const work = async () => {
    working += 1;
    most = Math.max(most, working);
    await new Promise((resolve) => setImmediate(resolve));
    working -= 1;
  };
  await Promise.all(Array.from({ length: 4 }, () => withLock(file, "a test", work)));
  assert.equal(most, 1);
  assert.equal(existsSync(file), false);
});

test("a lock of a dead process is taken over", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "backplane-lock-"));
  const file = join(folder.path, "lock");
  const { pid } = spawnSync(process.execPath, ["--version"]);
  writeFileSync(file, String(pid));
  assert.equal(await withLock(file, "a test", async () => "done"), "done");
});

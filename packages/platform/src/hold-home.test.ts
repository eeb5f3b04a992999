import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { holdHome } from "./hold-home.ts";

test("one home has one platform, and the lock of one that was killed is free at once", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "hold-home-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const home = join(folder, "home");
  const inAnotherProcess = () => {
    const module = JSON.stringify(new URL("hold-home.ts", import.meta.url).href);
    const code = `(await import(${module})).holdHome(${JSON.stringify(home)}); console.log("held"); process.kill(process.pid, "SIGKILL");`;
    return spawnSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" });
  };

  const lock = holdHome(home);
  assert.equal(statSync(home).mode & 0o777, 0o700);
  const second = inAnotherProcess();
  assert.equal(second.stdout, "");
  assert.match(second.stderr, new RegExp(`Another platform uses ${home}\\. Stop it, or set BACKPLANE_HOME`));
  assert.throws(() => holdHome(home), /Another platform uses/);

  lock.release();
  const killed = inAnotherProcess();
  assert.deepEqual([killed.stdout, killed.signal], ["held\n", "SIGKILL"]);
  holdHome(home).release();
});

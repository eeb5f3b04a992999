import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { newFolder, open } from "./scenarios.suite.ts";

const MODULE = new URL("./installation.ts", import.meta.url).href;

/** A process that has the installation open until it is killed. */
async function holder(t: TestContext, root: string) {
  const program = `
    const { openInstallation } = await import(${JSON.stringify(MODULE)});
    globalThis.held = await openInstallation(${JSON.stringify(root)}, { brand: "tool", now: Date.now });
    console.log("open");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

it("a second process waits, then learns which one is working; a dead process holds no lock", async (t) => {
  const root = await newFolder(t);
  const child = await holder(t, root);
  await assert.rejects(open(root, { lockWaitMs: 100 }), (error: { code: string; message: string }) => {
    assert.equal(error.code, "busy");
    assert.match(error.message, new RegExp(`Process ${child.pid} is working`));
    return true;
  });
  const waiting = open(root, { lockWaitMs: 20_000 });
  child.kill("SIGKILL");
  await (await waiting).close();
});

it("the same process can open it only once too, also through a link to the root", async (t) => {
  const folder = await newFolder(t);
  const first = await open(join(folder, "root"));
  await symlink(join(folder, "root"), join(folder, "link"));
  await assert.rejects(open(join(folder, "root")), { code: "busy" });
  await assert.rejects(open(join(folder, "link")), { code: "busy" });
  await first.close();
  const second = await open(join(folder, "link"));
  assert.equal(second.root, first.root);
  await second.close();
  await second.close();
  await assert.rejects(second.list(), { reason: "closed" });
});

it("the lock needs no space: on a full disk installed packages can still be listed and verified", async (t) => {
  const root = await newFolder(t);
  const installation = await open(root);
  const own = join(root, ".backplane");
  const locks = (await readdir(own)).filter((name) => name.startsWith("lock") && !name.endsWith(".json"));
  assert.deepEqual(locks, ["lock"]);
  assert.equal((await stat(join(own, "lock"))).size, 0);
  await installation.close();
});

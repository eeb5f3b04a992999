import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { claimHome, releaseHome } from "@backplane/kit/supervise";
import { holdHome } from "@backplane/platform/backup";
import { freePort } from "../../../../scripts/services/index.ts";
import { runLineHere } from "../run-here.suite.ts";

type Listed = { items: { what: string; where: string; bytes?: number; advice?: string }[]; wouldRemove: string[] };

/** A folder in which Backplane has run, with a file of somebody else in its home. */
async function usedFolder(t: TestContext, env: NodeJS.ProcessEnv = {}) {
  const folder = mkdtempSync(join(tmpdir(), "uninstall-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const home = join(folder, ".backplane");
  const write = (path: string, bytes: number) => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), Buffer.alloc(bytes));
  };
  write(".backplane/backplane.db", 1_000);
  write(".backplane/archives/a/a-1.0.zip", 2_000);
  write(".backplane/projects/@1/board/board.kicad_pcb", 3_000);
  write(".backplane/logs/platform.log", 4_000);
  write(".backplane/notes.txt", 5);
  write("screenshots/sp/sp-1.png", 6_000);
  write("account/.backplane/sessions/one.json", 7);
  writeFileSync(join(folder, "account/.bashrc"), 'eval "$(backplane completion bash)"\n');
  const settings = {
    HOME: join(folder, "account"),
    PLATFORM_PORT: String(await freePort()),
    NODE_COMPILE_CACHE: join(folder, "none"),
    ...env,
  };
  return {
    folder,
    home,
    run: (...args: string[]) =>
      runLineHere({ cwd: folder, env: settings, input: Buffer.from("no\n") }, ["uninstall", ...args]),
  };
}

test("a dry run lists what lies where, with sizes, and no password; it removes nothing", async (t) => {
  const DATABASE_URL = "postgres://backplane:sEcReT@db.example.org/backplane";
  const { folder, home, run } = await usedFolder(t, { DATABASE_URL });
  const { status, stdout } = await run("--dry-run", "--data", "--json");
  assert.equal(status, 0, stdout);
  assert.doesNotMatch(stdout, /sEcReT/);
  const { items, wouldRemove } = JSON.parse(stdout) as Listed;
  const bytesOf = (where: string) => items.find((item) => item.where === where)?.bytes;
  assert.deepEqual(
    [home, join(home, "archives"), join(home, "projects"), join(home, "logs")].map(bytesOf),
    [1_000, 2_000, 3_000, 4_000],
  );
  assert.equal(bytesOf(join(folder, "screenshots/sp")), 6_000);
  assert.equal(bytesOf(join(folder, "account/.backplane")), 7);
  const places = items.map(({ where }) => where);
  assert.ok(places.includes("postgres://backplane@db.example.org/backplane"));
  assert.ok(places.includes(join(folder, "account/.bashrc")));
  assert.ok(items.some(({ what }) => what.startsWith("program")));
  assert.ok(wouldRemove.includes(home) && existsSync(join(home, "backplane.db")));
});

test("it removes only what was asked for, after a question, and nothing that is not ours", async (t) => {
  const { folder, home, run } = await usedFolder(t, { INDEXES_FOLDER: "indexes" });
  const indexes = join(folder, "indexes");
  for (const name of ["a".repeat(64), "somebody-elses"]) mkdirSync(join(indexes, name), { recursive: true });
  assert.match((await run()).stdout, /Nothing was removed\. Say what to remove/);
  const asked = await run("--data");
  assert.deepEqual([asked.status, existsSync(join(home, "backplane.db"))], [130, true]);
  assert.match(asked.stderr, /There is no way back\. Type yes/);
  const removed = await run("--data", "--yes");
  assert.equal(removed.status, 0, removed.stderr);
  assert.deepEqual(readdirSync(home), ["notes.txt"]);
  assert.deepEqual(readdirSync(indexes), ["somebody-elses"]);
  assert.ok(existsSync(join(folder, "screenshots/sp/sp-1.png")));
  assert.ok(existsSync(join(folder, "account/.backplane")));
});

test("--account keeps the data of a Backplane that was started in the home of the account", async (t) => {
  const { folder, home } = await usedFolder(t);
  mkdirSync(join(home, "sessions"));
  writeFileSync(join(home, "sessions", "one.json"), "{}");
  const env = { HOME: folder, PLATFORM_PORT: String(await freePort()), NODE_COMPILE_CACHE: join(folder, "none") };
  const { status, stderr } = await runLineHere({ cwd: folder, env }, ["uninstall", "--account", "--yes"]);
  assert.equal(status, 0, stderr);
  assert.deepEqual(readdirSync(home).sort(), ["archives", "backplane.db", "logs", "notes.txt", "projects"]);
});

test("nothing is removed while a platform has the home folder, wherever it listens", async (t) => {
  const { home, run } = await usedFolder(t);
  const lock = holdHome(home);
  const { status, stderr } = await run("--data", "--yes");
  lock.release();
  assert.equal(status, 1);
  assert.match(stderr, /A Backplane is running with/);
  assert.ok(existsSync(join(home, "backplane.db")));
});

test("nothing is removed while Backplane runs", async (t) => {
  const { home, run } = await usedFolder(t);
  claimHome(home, process.pid);
  const { status, stderr } = await run("--data", "--yes");
  releaseHome(home, process.pid);
  assert.equal(status, 1);
  assert.match(stderr, /A Backplane is running with .* Nothing was removed\.\n {2}Stop it first/);
  assert.ok(existsSync(join(home, "backplane.db")));
});

import assert from "node:assert/strict";
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { makePrivateFolder } from "../folder.ts";
import { claimPidFile, endLeftover, pidFileHolder, releasePidFile } from "./pid-file.ts";

const CLAIMANTS = 6;
const ROUNDS = 60;

function pidFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "pid-file-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, "run", "x.pid");
}

test("a living process keeps its file; a dead one does not, even if another program has its pid now", (t) => {
  const path = pidFile(t);
  assert.equal(claimPidFile(path, process.pid), true);
  assert.equal(claimPidFile(path, process.pid), false);
  assert.equal(pidFileHolder(path), process.pid);
  releasePidFile(path, process.pid);
  assert.equal(pidFileHolder(path), undefined);
  writeFileSync(path, JSON.stringify({ pid: process.pid, command: "something-else" }));
  assert.equal(claimPidFile(path, process.pid), true);
  releasePidFile(path, process.pid);
  const unknowable = 2 ** 22 + 1; // as every pid is where there is no /proc
  assert.equal(claimPidFile(path, unknowable), true);
  assert.equal(pidFileHolder(path), undefined);
  writeFileSync(path, "damaged");
  assert.equal(claimPidFile(path, process.pid), true);
});

test("when several processes find a stale pid file, exactly one takes it over", async (t) => {
  const path = pidFile(t);
  makePrivateFolder(dirname(path));
  const children = Array.from({ length: CLAIMANTS }, () => fork(new URL("testing/claimant.ts", import.meta.url)));
  t.after(() => children.map((child) => child.kill()));
  await Promise.all(children.map((child) => once(child, "message")));
  for (let round = 0; round < ROUNDS; round++) {
    writeFileSync(path, JSON.stringify({ pid: process.pid, command: "something-else" }));
    const answers = children.map((child) => once(child, "message"));
    for (const child of children) child.send(path);
    const winners = (await Promise.all(answers)).flatMap(([isIts], index) => (isIts ? [children[index]?.pid] : []));
    assert.equal(winners.length, 1, `round ${round}`);
    assert.equal(pidFileHolder(path), winners[0]);
  }
  assert.deepEqual(readdirSync(dirname(path)), ["x.pid"]);
});

test("a process that died during a take-over does not block others for long", (t) => {
  const path = pidFile(t);
  makePrivateFolder(dirname(path));
  writeFileSync(path, "dead");
  writeFileSync(`${path}.taking`, "");
  assert.equal(claimPidFile(path, process.pid), false);
  const before = new Date(Date.now() - 60_000);
  utimesSync(`${path}.taking`, before, before);
  assert.equal(claimPidFile(path, process.pid), true);
});

test("a leftover process is killed, even one that hangs; another program with its pid is not", async (t) => {
  const path = pidFile(t);
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", "left-behind"]);
  const { pid = 0 } = child;
  process.kill(pid, "SIGSTOP");
  claimPidFile(path, pid);
  assert.equal(await endLeftover(path), pid);
  assert.equal(pidFileHolder(path), undefined);
  writeFileSync(path, JSON.stringify({ pid: process.pid, command: "something-else" }));
  assert.equal(await endLeftover(path), undefined);
});

test("a folder is created for its owner only; where that is impossible there is an error, not a hang", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "folder-"));
  t.after(() => rmSync(folder, { recursive: true }));
  makePrivateFolder(join(folder, "a", "b"));
  makePrivateFolder(join(folder, "a", "b"));
  assert.equal(statSync(join(folder, "a")).mode & 0o777, 0o700);
  assert.throws(() => makePrivateFolder("/proc/backplane/home"), { code: "ENOENT" });
});

import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { OAuthError } from "../errors.ts";
import { startChild } from "../testing/child.ts";
import { scratchFolder } from "../testing/scratch.ts";
import { withFileLock } from "./file-lock.ts";

const ID = "6f1c9a04-8a55-4f0e-9b0e-52f3a1a7d001";
/** Higher than any pid on Linux. */
const NO_PID = 2 ** 22 + 1;

const leave = (path: string, holder: object) =>
  writeFileSync(path, JSON.stringify({ id: ID, pid: NO_PID, host: hostname(), atMs: Date.now(), ...holder }));

test("within one process one caller works at a time, and nothing is left behind", async () => {
  using folder = scratchFolder();
  let inside = 0;
  let most = 0;
  const work = () =>
    withFileLock(join(folder.path, "lock"), async () => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise(setImmediate);
      inside -= 1;
    });
  await Promise.all(Array.from({ length: 10 }, work));
  assert.equal(most, 1);
  assert.deepEqual(readdirSync(folder.path), []);
});

test("the lock is released when the work fails, and the failure is passed on", async () => {
  using folder = scratchFolder();
  const lock = join(folder.path, "lock");
  await assert.rejects(
    withFileLock(lock, () => Promise.reject(new Error("work"))),
    /^Error: work$/,
  );
  assert.equal(await withFileLock(lock, async () => "next"), "next");
});

test("a lock that cannot be removed, for example because its folder is gone, does not hide the result or the failure of the work", async () => {
  using folder = scratchFolder();
  const place = join(folder.path, "tokens");
  const loseFolder = (outcome: Promise<string>) => {
    mkdirSync(place);
    return withFileLock(join(place, "lock"), () => {
      rmSync(place, { recursive: true });
      return outcome;
    });
  };
  assert.equal(await loseFolder(Promise.resolve("done")), "done");
  await assert.rejects(loseFolder(Promise.reject(new Error("work"))), /^Error: work$/);
});

test("four processes that count together lose no count", async () => {
  using folder = scratchFolder();
  const [lock, file] = [join(folder.path, "lock"), join(folder.path, "number")];
  writeFileSync(file, "0");
  const children = Array.from({ length: 4 }, () =>
    startChild(new URL("../testing/count-alone.ts", import.meta.url), [lock, file, "15"]),
  );
  await Promise.all(children.map((child) => child.hear()));
  assert.equal(readFileSync(file, "utf8"), "60");
  for (const child of children) await child[Symbol.asyncDispose]();
});

test("the lock of a process that was killed is taken over at once, by exactly one at a time", async () => {
  using folder = scratchFolder();
  const lock = join(folder.path, "lock");
  const holder = startChild(new URL("../testing/hold-lock.ts", import.meta.url), [lock]);
  assert.equal(await holder.hear(), "held");
  let isKilled = false;
  let inside = 0;
  let looks = 0;
  const allLooked = Promise.withResolvers<void>();
  const now = () => {
    looks += 1;
    if (looks > 100) allLooked.resolve();
    return Date.now();
  };
  const work = async () => {
    assert.ok(isKilled);
    inside += 1;
    await new Promise(setImmediate);
    assert.equal(inside, 1);
    inside -= 1;
  };
  const waiting = Array.from({ length: 5 }, () => withFileLock(lock, work, now));
  await allLooked.promise;
  isKilled = true;
  await holder[Symbol.asyncDispose]();
  const startedMs = performance.now();
  await Promise.all(waiting);
  assert.ok(performance.now() - startedMs < 5_000);
  assert.deepEqual(readdirSync(folder.path), []);
});

test("the lock of a process that was killed while taking over is taken over too", async () => {
  using folder = scratchFolder();
  const lock = join(folder.path, "lock");
  leave(lock, {});
  leave(`${lock}.${ID}`, { id: ID.replaceAll("6", "7") });
  assert.equal(await withFileLock(lock, async () => "mine"), "mine");
  assert.deepEqual(readdirSync(folder.path), []);
});

test("a process with the same pid as the dead one, as in a container, takes over its lock", async () => {
  using folder = scratchFolder();
  const lock = join(folder.path, "lock");
  leave(lock, { pid: process.pid, atMs: Date.now() - process.uptime() * 1_000 - 1_000 });
  assert.equal(await withFileLock(lock, async () => "mine"), "mine");
});

test("the lock of a holder on another machine is taken over after a minute, and not before", async () => {
  for (const holder of [{ host: "elsewhere.example" }, { pid: process.ppid }]) {
    using folder = scratchFolder();
    const lock = join(folder.path, "lock");
    const startMs = Date.now();
    leave(lock, { ...holder, atMs: startMs });
    let looks = 0;
    // Five seconds pass between two checks.
    const now = () => startMs + 5_000 * looks++;
    const takenAtMs = await withFileLock(lock, async () => now() - startMs, now);
    assert.ok(takenAtMs > 60_000, String(takenAtMs));
  }
});

test("a lock file left empty by a dead process is removed after 5 s, a new one is not", async () => {
  using folder = scratchFolder();
  const lock = join(folder.path, "lock");
  writeFileSync(lock, "");
  const past = Date.now() / 1_000 - 6;
  utimesSync(lock, past, past);
  assert.equal(await withFileLock(lock, async () => "mine"), "mine");
  writeFileSync(lock, "");
  let nowMs = Date.now();
  const waited = withFileLock(
    lock,
    async () => nowMs,
    () => (nowMs += 500),
  );
  assert.ok((await waited) - Date.now() > 4_000);
});

test("a process suspended between creating and filling its file has lost the lock to its successor", async () => {
  using folder = scratchFolder();
  const lock = join(folder.path, "lock");
  let isTakenOver = false;
  // The clock is read while the file is still empty. There the machine sleeps, and another process takes over.
  const now = () => {
    if (!isTakenOver && existsSync(lock)) {
      isTakenOver = true;
      unlinkSync(lock);
      leave(lock, { pid: process.ppid });
      setImmediate(() => unlinkSync(lock));
    }
    return Date.now();
  };
  const isAlone = await withFileLock(
    lock,
    async () => !readFileSync(lock, "utf8").includes(`"pid":${process.ppid}`),
    now,
  );
  assert.deepEqual([isTakenOver, isAlone], [true, true]);
});

test("waiting too long for a live holder fails, and the message names the file", async () => {
  using folder = scratchFolder();
  const lock = join(folder.path, "lock");
  // With a clock behind the holder's, the lock never becomes stale.
  leave(lock, { host: "elsewhere.example", atMs: Date.now() + 3_600_000 });
  let nowMs = Date.now();
  const waiting = withFileLock(
    lock,
    async () => "never",
    () => (nowMs += 10_000),
  );
  await assert.rejects(waiting, (error: unknown) => {
    assert.ok(error instanceof OAuthError);
    assert.deepEqual([error.code, error.path], ["token-file-busy", lock]);
    return error.message.includes(lock);
  });
});

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { untilAsserted } from "../../../../../scripts/testing/until.ts";
import type { OpenTestDatabase } from "../../open-databases.suite.ts";
import { claimBackup, dueMs, noteDone, noteFailed, readBackups } from "./record.ts";
import { openSchedule } from "./schedule.ts";

const HOUR_MS = 3_600_000;

/** Who makes a backup, and when. */
export function testSchedule(engine: string, open: OpenTestDatabase): void {
  test(`${engine}: of several instances one makes a due backup, and one runs at a time`, async (t) => {
    const connect = await open(t);
    const databases = [await connect(), await connect(), await connect()];
    const [database] = databases;
    assert.ok(database);
    const nowMs = 100 * HOUR_MS + 5;
    const claim = (at: number, due?: number) =>
      Promise.all(
        databases.map((each) =>
          claimBackup(each, { place: "/b", nowMs: at, ...(due === undefined ? {} : { dueMs: due }) }),
        ),
      );
    const every = { everyMs: HOUR_MS };
    assert.equal(dueMs(every, nowMs), 100 * HOUR_MS);
    const [id, ...others] = (await claim(nowMs, dueMs(every, nowMs))).filter((each) => each !== undefined);
    assert.ok(id !== undefined && others.length === 0);
    assert.deepEqual((await claim(nowMs)).filter(Boolean), [], "one runs already");
    const running = await readBackups(database, every, nowMs);
    assert.deepEqual([running.backups[0]?.state, running.backups[0]?.progress?.bytes], ["running", 0]);

    await noteDone(database, id, { momentMs: nowMs, bytes: 7, entries: 1, place: "/b/x.tar" }, nowMs + 1);
    assert.deepEqual((await claim(nowMs + 2, dueMs(every, nowMs + 2))).filter(Boolean), [], "it is done for this hour");
    const done = await readBackups(database, every, nowMs + 2);
    assert.deepEqual(done.days?.at(-1), { day: iso(nowMs).slice(0, 10), done: 1, failed: 0 });
    assert.equal(done.days?.length, 30);
    assert.deepEqual(done, {
      days: done.days,
      backups: [
        {
          ...{ id, state: "done", place: "/b/x.tar", bytes: 7, startedAt: iso(nowMs) },
          ...{ finishedAt: iso(nowMs + 1), moment: iso(nowMs) },
        },
      ],
      next: iso(101 * HOUR_MS),
    });
    const laterMs = nowMs + HOUR_MS;
    const [again] = (await claim(laterMs, dueMs(every, laterMs))).filter((each) => each !== undefined);
    assert.ok(again);
    await noteFailed(database, again, "The disk is full.", laterMs);
    const { days } = await readBackups(database, every, laterMs);
    assert.deepEqual(days?.at(-1), { day: iso(nowMs).slice(0, 10), done: 1, failed: 1, error: "The disk is full." });
    const dayLater = await readBackups(database, every, laterMs + 24 * HOUR_MS);
    assert.deepEqual(
      dayLater.days?.slice(-2).map(({ done, failed }) => [done, failed]),
      [
        [1, 1],
        [0, 0],
      ],
    );
    assert.deepEqual((await claim(laterMs + 1, dueMs(every, laterMs + 1))).filter(Boolean), [], "not again at once");
    assert.equal((await claim(laterMs + 2)).filter(Boolean).length, 1, "but when somebody asks");
  });

  test(`${engine}: a backup whose process was killed is shown as failed`, async (t) => {
    const database = await (await open(t))();
    const backups = openSchedule({
      ...{ database, now: Date.now, onFault: () => {}, sweep: async () => {} },
      settings: { backups: { to: "/b", every: undefined, keep: undefined, passphraseFile: undefined } },
      run: () => spawn(process.execPath, ["-e", "process.kill(process.pid, 'SIGKILL')"], { stdio: "ignore" }),
    });
    t.after(() => backups.close());
    assert.ok(await backups.start());
    await untilAsserted(async () => assert.equal((await backups.read()).backups[0]?.state, "failed"));
    assert.match((await backups.read()).backups[0]?.error ?? "", /Start it again/);
  });

  test(`${engine}: a backup whose process cannot start has failed, and closing does not wait for it`, async (t) => {
    const database = await (await open(t))();
    const backups = openSchedule({
      ...{ database, now: Date.now, onFault: () => {}, sweep: async () => {} },
      settings: { backups: { to: "/b", every: undefined, keep: undefined, passphraseFile: undefined } },
      // As Node does without file descriptors: "error" comes, "close" does not.
      run() {
        const child = new EventEmitter();
        setImmediate(() => child.emit("error", Object.assign(new Error("spawn EMFILE"), { code: "EMFILE" })));
        return Object.assign(child, { kill: () => false }) as unknown as ChildProcess;
      },
    });
    assert.ok(await backups.start());
    await untilAsserted(async () => assert.equal((await backups.read()).backups[0]?.state, "failed"));
    await backups.close();
  });

  test(`${engine}: what killed backups have left is removed at the start, and every day`, async (t) => {
    const database = await (await open(t))();
    let nowMs = 5;
    const swept: number[] = [];
    const backups = openSchedule({
      ...{ database, now: () => nowMs, onFault: (error) => assert.fail(String(error)), lookEveryMs: 1 },
      settings: { backups: { to: "/b", every: undefined, keep: undefined, passphraseFile: undefined } },
      sweep: async (atMs) => void swept.push(atMs),
    });
    t.after(() => backups.close());
    assert.deepEqual(swept, [5]);
    nowMs += 24 * HOUR_MS;
    await untilAsserted(() => assert.equal(swept.length, 2));
    assert.deepEqual(swept, [5, 5 + 24 * HOUR_MS]);
  });
}

const iso = (ms: number): string => new Date(ms).toISOString();

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Backup } from "@backplane/contract/backups";
import {
  backupDayWords,
  backupFacts,
  backupStates,
  clockWords,
  fullWords,
  growthPerDay,
  instanceState,
  milliseconds,
  quotaPercent,
  quotaWords,
  restoreCommand,
  sizeAndGrowth,
  summary,
} from "./words.ts";

const backup = (id: string, state: Backup["state"]): Backup => ({
  ...{ id, state, place: "/backups/a.bpb", startedAt: "2026-11-16T03:00:00.000Z" },
});

test("the head counts the instances, if they are known", () => {
  assert.equal(summary({ version: "0.2.0" }), "Version 0.2.0 · seen by owners only");
  const instances = [{}, {}] as never;
  assert.equal(summary({ version: "0.2.0", instances }), "Version 0.2.0 · 2 instances · seen by owners only");
});

test("a clock is right, or ahead of the database's, or behind it", () => {
  assert.equal(clockWords({ clockOffsetMs: -3 }), "right");
  assert.equal(clockWords({ clockOffsetMs: 2_340 }), "2.3 s ahead");
  assert.equal(clockWords({ clockOffsetMs: -600 }), "0.6 s behind");
});

test("an instance that is behind another one in version is marked", () => {
  const all = [{ version: "0.9.0" }, { version: "0.10.0" }, {}];
  assert.deepEqual(
    all.map((one) => instanceState(one, all).word),
    ["Older version", "Running", "Older version"],
  );
  assert.equal(instanceState({}, [{}]).word, "Running");
});

test("times and quotas are in words", () => {
  assert.deepEqual([0.04, 9.96, 12.4].map(milliseconds), ["0.0 ms", "10.0 ms", "12 ms"]);
  const files = { owner: "ada", of: "files", used: 9 * 1024 ** 3, max: 10 * 1024 ** 3 } as const;
  assert.deepEqual([quotaWords(files), quotaPercent(files)], ["9.0 GB of 10 GB", 90]);
  assert.equal(quotaWords({ owner: "ada", of: "packages", used: 7, max: 1_000 }), "7 of 1,000");
});

test("backups: the last whole one, the one that runs, and only a last one that failed", () => {
  const [running, failed, done] = [backup("3", "running"), backup("2", "failed"), backup("1", "done")];
  assert.deepEqual(backupStates({ backups: [running, failed, done] }), { last: done, running, failed: undefined });
  assert.equal(backupStates({ backups: [failed, done] }).failed, failed);
  assert.equal(backupFacts({ ...done, bytes: 2_048, finishedAt: "2026-11-16T03:00:38.000Z" }), "2 KB, took 38 seconds");
});

test("the command that restores a backup makes its folder, and can be pasted, whatever its place is called", () => {
  const folder = "mkdir backplane-restored && cd backplane-restored";
  const inStore = restoreCommand("backplane", { place: "s3://bucket/a.tar" });
  assert.equal(inStore, `${folder} && backplane restore s3://bucket/a.tar`);
  const inFolder = restoreCommand("/opt/backplane", { place: "/my $(x)'s/a" });
  assert.equal(inFolder, `${folder} && /opt/backplane restore '/my $(x)'\\''s/a'`);
});

test("growth is known after two days, and says when a disk is full", () => {
  const day = (at: number, bytes: number) => ({
    ...{ day: `2026-11-${at}`, slowestMs: 1, databaseBytes: bytes, archiveBytes: 0, fileBytes: 0 },
  });
  const sizeOf = ({ databaseBytes }: { databaseBytes: number }) => databaseBytes;
  assert.equal(growthPerDay([], sizeOf), undefined);
  assert.equal(growthPerDay([day(10, 5), day(11, 9)], sizeOf), undefined);
  assert.equal(growthPerDay([day(10, 5_000), day(12, 7_000), day(20, 25_000)], sizeOf), 2_000);
  assert.equal(sizeAndGrowth(5_000, undefined), sizeAndGrowth(5_000, -3));
  assert.match(sizeAndGrowth(5_000_000, 2_000_000), /, grows .* per day$/);
  assert.equal(fullWords(21_000, 1_000), "in about 21 days");
  assert.equal(fullWords(210_000, 1_000), "in about 7 months");
  assert.equal(fullWords(1e12, 1_000), undefined);
  assert.equal(fullWords(1e12, undefined), undefined);
});

test("days with backups are counted, and the last failure is named", () => {
  const done = { day: "2026-11-15", done: 1, failed: 0 };
  assert.equal(backupDayWords([done, { day: "2026-11-16", done: 0, failed: 0 }]), "1 day with a backup");
  const failed = { day: "2026-11-16", done: 1, failed: 1, error: "The disk is full." };
  assert.equal(
    backupDayWords([done, done, failed]),
    "2 days with a backup, 1 with a failure, the last on 2026-11-16: The disk is full.",
  );
});

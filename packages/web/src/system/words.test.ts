import assert from "node:assert/strict";
import { test } from "node:test";
import type { Backup } from "@backplane/contract/backups";
import {
  backupFacts,
  backupStates,
  clockWords,
  instanceState,
  milliseconds,
  quotaPercent,
  quotaWords,
  restoreCommand,
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

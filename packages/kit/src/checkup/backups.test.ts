import assert from "node:assert/strict";
import { test } from "node:test";
import { type BackupsUnderCheck, backupFinding } from "./backups.ts";

const HOUR_MS = 3_600_000;
const nowMs = Date.parse("2026-11-16T12:00:00Z");
const done = (hoursAgo: number) => ({
  state: "done" as const,
  moment: new Date(nowMs - hoursAgo * HOUR_MS).toISOString(),
});
const failed = { state: "failed" as const, error: "The disk is full." };
const running = { state: "running" as const };
const daily = { minuteOfDay: 210 };

const found = (change: Partial<BackupsUnderCheck>) => {
  const { state, says } = backupFinding({ every: daily, isPublic: true, backups: [], nowMs, ...change });
  return [state, says];
};

test("without a plan, somebody's own backup counts for a week; then others are warned, one person is told", () => {
  assert.deepEqual(found({ every: undefined }), ["warning", "No backup is planned, and there is none"]);
  assert.deepEqual(found({ every: undefined, isPublic: false }), ["note", "No backup is planned, and there is none"]);
  const recent = found({ every: undefined, backups: [done(24 * 6)] });
  assert.deepEqual(recent, ["ok", "the last one is of 2026-11-10T12:00:00.000Z; none is planned"]);
  const old = found({ every: undefined, backups: [failed, done(24 * 8)] });
  assert.deepEqual(old, ["warning", "No backup is planned, and the last one is 8 days old"]);
});

test("with a plan, a last one that failed or is older than two periods is a warning", () => {
  assert.equal(found({})[0], "note");
  assert.deepEqual(found({ backups: [running, done(30)] }), ["ok", "the last one is of 2026-11-15T06:00:00.000Z"]);
  assert.deepEqual(found({ backups: [running, failed, done(3)] }), [
    "warning",
    "The last backup failed: The disk is full.",
  ]);
  assert.deepEqual(found({ backups: [done(49)] }), ["warning", "The last backup is 2 days old"]);
  assert.deepEqual(found({ every: { everyMs: HOUR_MS }, backups: [done(3)] }), [
    "warning",
    "The last backup is 3 hours old",
  ]);
  const { cost, fix } = backupFinding({ every: daily, isPublic: true, backups: [failed, done(3)], nowMs });
  assert.equal(cost, "What was written since 2026-11-16T09:00:00.000Z is in no backup.");
  assert.match(fix ?? "", /backplane backup$/);
});

import type { Backup } from "@backplane/contract/backups";
import type { Finding } from "@backplane/contract/system";
import type { BackupTimes } from "../settings.ts";

export type BackupsUnderCheck = {
  /** BACKUP_EVERY. */
  every: BackupTimes | undefined;
  /** Other people rely on this Backplane: its address leads to it from other machines. */
  isPublic: boolean;
  /** The newest first. */
  backups: readonly Pick<Backup, "state" | "moment" | "error">[];
  nowMs: number;
};

const DAY_MS = 86_400_000;
/** One that somebody made is good for so long. */
const MADE_BY_HAND_MS = 7 * DAY_MS;

const check = "backups";
const NOW = "backplane backup";

/** Whether there is a backup to go back to, and whether the next one comes by itself. */
export function backupFinding({ every, isPublic, backups, nowMs }: BackupsUnderCheck): Finding {
  const good = backups.find(({ state }) => state === "done")?.moment;
  const ageMs = good === undefined ? Number.POSITIVE_INFINITY : nowMs - Date.parse(good);
  if (every === undefined) {
    if (ageMs <= MADE_BY_HAND_MS) return { check, state: "ok", says: `the last one is of ${good}; none is planned` };
    return {
      ...{ check, state: isPublic ? "warning" : "note" },
      says: `No backup is planned, and ${good === undefined ? "there is none" : `the last one is ${age(ageMs)} old`}`,
      cost: "A disk that breaks takes everything with it.",
      fix: `Set BACKUP_EVERY, such as "daily at 03:30", or run: ${NOW}`,
    };
  }
  const last = backups.find(({ state }) => state !== "running");
  const lost = good === undefined ? "There is no backup." : `What was written since ${good} is in no backup.`;
  if (last?.state === "failed") {
    const why = last.error === undefined ? "" : `: ${last.error}`;
    return {
      ...{ check, state: "warning", says: `The last backup failed${why}`, cost: lost },
      fix: `Correct that, then run: ${NOW}`,
    };
  }
  if (good === undefined)
    return { check, state: "note", says: "none was made yet; a platform that runs makes the first one" };
  const periodMs = "everyMs" in every ? every.everyMs : DAY_MS;
  if (ageMs <= 2 * periodMs) return { check, state: "ok", says: `the last one is of ${good}` };
  return {
    ...{ check, state: "warning", says: `The last backup is ${age(ageMs)} old`, cost: lost },
    fix: `Look for "backup fault" in logs/platform.log in the home folder, or run: ${NOW}`,
  };
}

function age(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
}

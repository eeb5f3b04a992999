import type { Backup, BackupDay, Backups } from "@backplane/contract/backups";
import type { Disk, QuotaUse, System, SystemDay, SystemInstance } from "@backplane/contract/system";
import { shellArgument } from "@backplane/kit/shell-argument";
import { sizeWords } from "../packages/words.ts";
import type { Tone } from "../parts/state.tsx";
import { lengthOf } from "../parts/times.ts";
import { counted } from "../parts/words.ts";

/** 0.6 ms, 12 ms */
/** An answer that takes longer is marked: people notice it. */
export const SLOW_MS = 100;

export const milliseconds = (ms: number): string => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;

export function summary({ version, instances }: Pick<System, "version" | "instances">): string {
  const count = instances === undefined ? [] : [counted(instances.length, "instance")];
  return [`Version ${version}`, ...count, "seen by owners only"].join(" · ");
}

/** Larger differences are marked. The server reports those that are not safe. */
const CLOCK_NOTED_MS = 500;

export function clockWords({ clockOffsetMs }: Pick<SystemInstance, "clockOffsetMs">): string {
  if (Math.abs(clockOffsetMs) < CLOCK_NOTED_MS) return "right";
  return `${(Math.abs(clockOffsetMs) / 1_000).toFixed(1)} s ${clockOffsetMs > 0 ? "ahead" : "behind"}`;
}

/** The state of an instance, beside the newest version that any of them runs. */
export function instanceState(
  { version }: Pick<SystemInstance, "version">,
  instances: readonly Pick<SystemInstance, "version">[],
): { tone: Tone; word: string } {
  const isBehind = instances.some(
    (other) => other.version !== undefined && (version ?? "").localeCompare(other.version, "en", { numeric: true }) < 0,
  );
  return isBehind ? { tone: "warn", word: "Older version" } : { tone: "ok", word: "Running" };
}

export const freePercent = ({ freeBytes, totalBytes }: Disk): number => Math.floor((100 * freeBytes) / totalBytes);

const kinds: Record<QuotaUse["of"], string> = {
  files: "Files and screenshots",
  archives: "Package archives",
  packages: "Packages",
};

export const quotaKind = ({ of }: Pick<QuotaUse, "of">): string => kinds[of];

/** 9.1 GB of 10 GB */
export function quotaWords({ of, used, max }: QuotaUse): string {
  const words = of === "packages" ? (count: number) => count.toLocaleString("en") : sizeWords;
  return `${words(used)} of ${words(max)}`;
}

export const quotaPercent = ({ used, max }: QuotaUse): number => Math.floor((100 * used) / max);

const DAY_MS = 86_400_000;
/** With less than this, what grows is mostly chance. */
const MIN_GROWTH_DAYS = 2;

/** How much a size has grown per day; undefined while too little is known. */
export function growthPerDay(history: readonly SystemDay[], sizeOf: (day: SystemDay) => number): number | undefined {
  const [first, last] = [history[0], history.at(-1)];
  if (!first || !last) return undefined;
  const days = (Date.parse(last.day) - Date.parse(first.day)) / DAY_MS;
  return days < MIN_GROWTH_DAYS ? undefined : (sizeOf(last) - sizeOf(first)) / days;
}

/** 1.2 GB, grows 18 MB per day */
export function sizeAndGrowth(bytes: number, perDay: number | undefined): string {
  return perDay === undefined || perDay < 1
    ? sizeWords(bytes)
    : `${sizeWords(bytes)}, grows ${sizeWords(Math.round(perDay))} per day`;
}

/** Further away nobody can say. */
const MAX_FULL_DAYS = 730;

/** When a disk is full if it goes on like this: "in about 7 months". */
export function fullWords(freeBytes: number, perDay: number | undefined): string | undefined {
  if (perDay === undefined || perDay < 1) return undefined;
  const days = Math.floor(freeBytes / perDay);
  if (days > MAX_FULL_DAYS) return undefined;
  return days < 60 ? `in about ${counted(days, "day")}` : `in about ${Math.round(days / 30)} months`;
}

/** 29 days with a backup, 1 with a failure, the last on 2026-10-27: The disk is full. */
export function backupDayWords(days: readonly BackupDay[]): string {
  const done = days.filter(({ done, failed }) => done > 0 && failed === 0).length;
  const bad = days.filter(({ failed }) => failed > 0);
  const last = bad.at(-1);
  const failed = last
    ? `, ${bad.length} with a failure, the last on ${last.day}${last.error === undefined ? "" : `: ${last.error}`}`
    : "";
  return `${counted(done, "day")} with a backup${failed}`;
}

/** What a backup did: "412 MB, took 38 seconds". */
export function backupFacts({ startedAt, finishedAt, bytes }: Backup): string {
  const took =
    finishedAt === undefined
      ? []
      : [`took ${lengthOf(Math.max(1, Math.round((Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000)))}`];
  return [...(bytes === undefined ? [] : [sizeWords(bytes)]), ...took].join(", ");
}

/** The last whole one, the one that runs, and the last one if it failed. */
export function backupStates({ backups }: Backups) {
  return {
    last: backups.find(({ state }) => state === "done"),
    running: backups.find(({ state }) => state === "running"),
    failed: backups[0]?.state === "failed" ? backups[0] : undefined,
  };
}

/** What a restore is pasted as: it gets a folder of its own, because it fills the folder that it is run in. */
export const restoreCommand = (name: string, { place }: Pick<Backup, "place">): string =>
  `mkdir ${RESTORED_FOLDER} && cd ${RESTORED_FOLDER} && ${name} restore ${shellArgument(place)}`;

export const RESTORED_FOLDER = "backplane-restored";

export const isInStore = ({ place }: Pick<Backup, "place">): boolean => place.startsWith("s3:");

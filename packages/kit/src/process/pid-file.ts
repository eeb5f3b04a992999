import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makePrivateFolder } from "../folder.ts";

/** The command distinguishes a process from a later one with the same pid. */
type Holder = { pid: number; command: string };

const GONE_CHECK_MS = 20;
/** A take-over lasts less than a millisecond: an older file was left by a process that died during it. */
const TAKING_AT_MOST_MS = 10_000;

/** The pid file of the process that starts the others of a home folder: `backplane up`, or a watchdog that runs alone. */
export const starterPidFile = (home: string): string => join(home, "run", "up.pid");

/**
 * Claims a home folder for a process that starts others there: two of them would end each other's children as leftovers.
 * Returns what to say when another process has it.
 */
export function claimHome(home: string, pid: number): string | undefined {
  const path = starterPidFile(home);
  if (claimPidFile(path, pid)) return undefined;
  const other = pidFileHolder(path) ?? "unknown";
  return `Another Backplane uses ${home} (process ${other}). Stop it, or set BACKPLANE_HOME to another folder.`;
}

export const releaseHome = (home: string, pid: number): void => releasePidFile(starterPidFile(home), pid);

/** The pid that the file names, if that process is alive. */
export function pidFileHolder(path: string): number | undefined {
  try {
    const holder = JSON.parse(readFileSync(path, "utf8")) as Holder;
    return isRunning(holder) ? holder.pid : undefined;
  } catch {
    return undefined;
  }
}

/** Claims the file for a process. False when a living process holds it. When several processes claim it at once, exactly one gets it. */
export function claimPidFile(path: string, pid: number): boolean {
  makePrivateFolder(dirname(path));
  const own = `${path}.${randomUUID()}`;
  writeFileSync(own, JSON.stringify({ pid, command: commandOf(pid) } satisfies Holder), { mode: 0o600, flag: "wx" });
  try {
    return succeeds(() => linkSync(own, path)) || (pidFileHolder(path) === undefined && takeOver(own, path));
  } finally {
    rmSync(own, { force: true });
  }
}

/** Replaces the file of a dead process. Only one process may do that at a time: a second one would remove the first one's file. */
function takeOver(own: string, path: string): boolean {
  const taking = `${path}.taking`;
  const takenAtMs = statSync(taking, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
  if (Date.now() - takenAtMs > TAKING_AT_MOST_MS) rmSync(taking, { force: true });
  if (!succeeds(() => writeFileSync(taking, "", { mode: 0o600, flag: "wx" }))) return false;
  try {
    if (pidFileHolder(path) !== undefined) return false;
    renameSync(own, path);
    return true;
  } finally {
    rmSync(taking, { force: true });
  }
}

function succeeds(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

export function releasePidFile(path: string, pid: number): void {
  const holder = pidFileHolder(path);
  if (holder === undefined || holder === pid) rmSync(path, { force: true });
}

/** Kills a process that outlived its parent because it hangs. Returns its pid, if there was one. */
export async function endLeftover(path: string): Promise<number | undefined> {
  const pid = pidFileHolder(path);
  if (pid !== undefined) {
    process.kill(pid, "SIGKILL");
    while (pidFileHolder(path) === pid) await sleep(GONE_CHECK_MS);
  }
  rmSync(path, { force: true });
  return pid;
}

/** Empty where there is no /proc: then the file protects nothing. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** A zombie has no command. */
const isRunning = ({ pid, command }: Holder): boolean => command !== "" && commandOf(pid) === command;

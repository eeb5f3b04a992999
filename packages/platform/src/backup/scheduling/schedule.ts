import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Backups } from "@backplane/contract/backups";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { Settings } from "@backplane/kit/settings";
import { programFile } from "@backplane/kit/supervise";
import type { PlatformTables } from "../../tables.ts";
import { claimBackup, dueMs, noteFailed, readBackups } from "./record.ts";

/** How often an instance looks whether a backup is due. */
const LOOK_EVERY_MS = 60_000;
/** A child that is told to stop removes what it has written. */
const END_WITHIN_MS = 2_000;
/** What killed backups have left is removed at the start, and then this often. */
const SWEEP_EVERY_MS = 86_400_000;

export type Schedule = {
  read(): Promise<Backups>;
  /** The id of a backup that has begun; undefined if one runs already. */
  start(): Promise<string | undefined>;
  close(): Promise<void>;
};

export type ScheduleOptions = {
  database: Database<PlatformTables>;
  settings: Pick<Settings, "backups">;
  now: Clock;
  onFault: (error: unknown) => void;
  /** Removes what killed backups have left at BACKUP_TO. */
  sweep: (nowMs: number) => Promise<void>;
  /** Replaced by tests. */
  run?: (id: string) => ChildProcess;
  lookEveryMs?: number;
};

/** The same command that people use, in a process of its own: reading everything would keep this one from answering. */
const runCommand = (id: string): ChildProcess =>
  spawn(process.execPath, [programFile("cli"), "backup", "--json", "--record", id], {
    stdio: ["ignore", "ignore", "pipe"],
  });

/** Starts backups when they are due, and when the owner asks for one. Of all instances, one does it. */
export function openSchedule(options: ScheduleOptions): Schedule {
  const { database, settings, now, onFault, sweep, run = runCommand, lookEveryMs = LOOK_EVERY_MS } = options;
  const { every, to: place } = settings.backups;
  let child: ChildProcess | undefined;
  let sweptMs = Number.NEGATIVE_INFINITY;

  async function start(due?: number): Promise<string | undefined> {
    const id = await claimBackup(database, { place, nowMs: now(), ...(due === undefined ? {} : { dueMs: due }) });
    if (id === undefined) return undefined;
    const running = run(id);
    child = running;
    let said = "";
    running.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said = `${said}${text}`.slice(-2_000);
    });
    const noteEnd = (why: string) => {
      // It notes its own faults; this is for one that was killed. Otherwise the row is not running, and stays.
      noteFailed(database, id, why, now()).catch(onFault);
    };
    running.once("error", (error) => {
      onFault(error);
      if (running.pid !== undefined) return;
      // Without file descriptors there is no process, and "close" never comes.
      child = undefined;
      noteEnd("Its process could not be started. Start it again.");
    });
    running.once("close", (code) => {
      child = undefined;
      if (code === 0) return;
      noteEnd("Its process ended before it was done. Start it again.");
      onFault(new Error(`A backup failed: ${said.trim() || `its process ended with ${code}`}`));
    });
    return id;
  }

  const look = () => {
    if (every !== undefined) start(dueMs(every, now())).catch(onFault);
    if (now() - sweptMs < SWEEP_EVERY_MS) return;
    sweptMs = now();
    sweep(sweptMs).catch(onFault);
  };
  const timer = setInterval(look, lookEveryMs);
  timer.unref();
  look();
  return {
    read: () => readBackups(database, every, now()),
    start: () => start(),
    async close() {
      clearInterval(timer);
      if (!child) return;
      const closed = once(child, "close");
      child.kill("SIGTERM");
      const killer = setTimeout(() => child?.kill("SIGKILL"), END_WITHIN_MS);
      await closed;
      clearTimeout(killer);
    },
  };
}

import { randomUUID } from "node:crypto";
import { closeSync, openSync, readFileSync, statSync, unlinkSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { isProcessAlive } from "@backplane/kit/process-alive";
import { OAuthError } from "../errors.ts";
import { isSystemError, systemCode, writing } from "./files.ts";

/** The lock of a dead process is taken over at once; that of a process on another machine, after this time. */
const LIFE_MS = 60_000;
/** A file that stays empty for longer was left by a process that ended between creating and filling it. */
const TORN_MS = 5_000;
const WAIT_MS = LIFE_MS + 10_000;
const LOOK_EVERY_MS = 50;

const TORN = "torn";

type Holder = { id: string; pid: number; host: string; atMs: number };

/**
 * Runs the work while nobody else, in this process or another one, holds the lock file. `now` is the clock that all
 * processes of the machine share.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>, now: () => number = Date.now): Promise<T> {
  const mine = await writing(path, () => acquire(path, now));
  try {
    return await work();
  } finally {
    release(path, mine, now);
  }
}

/** The result of the work counts, not that of the release: a lock that stays is taken over after its time. */
function release(path: string, mine: Holder, now: () => number): void {
  try {
    removeLock(path, mine, () => true, now);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}

async function acquire(path: string, now: () => number): Promise<Holder> {
  const deadlineMs = now() + WAIT_MS;
  for (;;) {
    const mine = tryTake(path, now);
    if (mine !== undefined) return mine;
    const holder = readHolder(path);
    if (holder !== undefined && isStale(holder, now())) removeLock(path, holder, isStale, now);
    else if (now() > deadlineMs) throw busy(path);
    else await sleep(LOOK_EVERY_MS);
  }
}

function tryTake(path: string, now: () => number): Holder | undefined {
  const file = openNew(path);
  if (file === undefined) return undefined;
  try {
    const holder: Holder = { id: randomUUID(), pid: process.pid, host: hostname(), atMs: now() };
    writeSync(file, JSON.stringify(holder));
    // If this process was suspended before it wrote, as when a laptop is closed, another may have taken over.
    return readHolder(path)?.id === holder.id ? holder : undefined;
  } finally {
    closeSync(file);
  }
}

/** O_EXCL: exactly one process creates the file. */
function openNew(path: string): number | undefined {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    if (isSystemError(error, "EEXIST")) return undefined;
    throw error;
  }
}

/**
 * Removes the lock of one holder, and never that of the next. Between a look and an unlink another process may have
 * removed the old lock and created its own, so both happen under a guard file that is named for the holder: nobody else
 * can remove the lock meanwhile. A stale guard is removed in the same way.
 */
function removeLock(
  path: string,
  { id }: Holder,
  isRemovable: (holder: Holder, nowMs: number) => boolean,
  now: () => number,
): void {
  const guardPath = `${path}.${id}`;
  const guard = tryTake(guardPath, now);
  if (guard === undefined) {
    const other = readHolder(guardPath);
    if (other !== undefined && isStale(other, now())) removeLock(guardPath, other, isStale, now);
    return;
  }
  const holder = readHolder(path);
  if (holder?.id === id && isRemovable(holder, now())) unlinkSync(path);
  unlinkSync(guardPath);
}

function readHolder(path: string): Holder | undefined {
  try {
    return parseHolder(readFileSync(path, "utf8")) ?? { id: TORN, pid: 0, host: "", atMs: statSync(path).mtimeMs };
  } catch (error) {
    if (isSystemError(error, "ENOENT")) return undefined;
    throw error;
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { id, pid, host, atMs } = JSON.parse(text) as Partial<Record<keyof Holder, unknown>>;
    // The id becomes part of a path.
    const isHolder = typeof id === "string" && /^[0-9a-f-]{36}$/.test(id) && Number.isSafeInteger(pid);
    if (!isHolder || typeof host !== "string" || typeof atMs !== "number") return undefined;
    return { id, pid: Number(pid), host, atMs };
  } catch {
    return undefined;
  }
}

function isStale({ id, pid, host, atMs }: Holder, nowMs: number): boolean {
  if (id === TORN) return nowMs - atMs > TORN_MS;
  if (nowMs - atMs > LIFE_MS) return true;
  if (host !== hostname()) return false;
  // In containers a new process often gets the pid of the one that died.
  if (pid === process.pid) return atMs < Date.now() - process.uptime() * 1_000;
  return !isProcessAlive(pid);
}

function busy(path: string): OAuthError {
  return new OAuthError(
    "token-file-busy",
    `Another program has used these tokens for more than a minute. Try again; if no other program is running, remove ${path}.`,
    { path },
  );
}

import { randomUUID } from "node:crypto";
import { closeSync, openSync, readFileSync, statSync, unlinkSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { OAuthError } from "../errors.ts";
import { isSystemError, systemCode, writing } from "./file-faults.ts";

/** A holder whose process is gone is followed at once; one that cannot be asked, after this. */
const LIFE_MS = 60_000;
/** A file that is empty for longer was left by a process that ended between making and filling it. */
const TORN_MS = 5_000;
const WAIT_MS = LIFE_MS + 10_000;
const LOOK_EVERY_MS = 50;

const TORN = "torn";

type Holder = { id: string; pid: number; host: string; atMs: number };

/**
 * Runs the work while no other process, and nobody else in this one, holds the lock file. The clock is the one that all
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

/** The work is done or has failed for a reason of its own; a lock that stays is followed after its time. */
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
    if (holder !== undefined && isLeftOver(holder, now())) removeLock(path, holder, isLeftOver, now);
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
    // A process that was stopped before it wrote, as when a laptop is closed, may have been followed meanwhile.
    return readHolder(path)?.id === holder.id ? holder : undefined;
  } finally {
    closeSync(file);
  }
}

/** O_EXCL: of any number of processes one makes the file. */
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
 * removed the old lock and made its own, so both happen under a lock that is named for the holder: nobody else can
 * remove it meanwhile. That guard may be left over, too, and is then removed in the same way.
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
    if (other !== undefined && isLeftOver(other, now())) removeLock(guardPath, other, isLeftOver, now);
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

function isLeftOver({ id, pid, host, atMs }: Holder, nowMs: number): boolean {
  if (id === TORN) return nowMs - atMs > TORN_MS;
  if (nowMs - atMs > LIFE_MS) return true;
  if (host !== hostname()) return false;
  // In containers the next process often has the pid of the one that died.
  if (pid === process.pid) return atMs < Date.now() - process.uptime() * 1_000;
  return !isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isSystemError(error, "EPERM");
  }
}

function busy(path: string): OAuthError {
  return new OAuthError(
    "token-file-busy",
    `Another program is using these tokens and does not finish. Try again; if none runs, remove ${path}.`,
    { path },
  );
}

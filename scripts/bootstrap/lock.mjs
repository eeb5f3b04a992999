import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";

const maxHeldMs = 30 * 60_000;
const lookEveryMs = 200;

/** Runs the work while holding the lock file; waits for a living holder, takes over from a dead one. */
export async function withLock(file, what, work) {
  mkdirSync(dirname(file), { recursive: true });
  let said = false;
  while (!tryTake(file)) {
    if (isStale(file)) {
      rmSync(file, { force: true });
      continue;
    }
    if (!said) process.stderr.write(`Waiting for ${what} in this folder (${file}) …\n`);
    said = true;
    await delay(lookEveryMs);
  }
  const release = () => rmSync(file, { force: true });
  process.once("exit", release);
  try {
    return await work();
  } finally {
    process.off("exit", release);
    release();
  }
}

function tryTake(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

function isStale(file) {
  try {
    if (Date.now() - statSync(file).mtimeMs > maxHeldMs) return true;
    const holder = Number(readFileSync(file, "utf8"));
    // Empty for the instant between its creation and its first byte.
    return holder !== 0 && !isAlive(holder);
  } catch {
    return false;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

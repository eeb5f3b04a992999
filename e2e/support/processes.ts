import { readdirSync, readFileSync } from "node:fs";

export type ProcessInfo = { pid: number; command: string };

/** All descendants of a process, read from /proc. */
export function descendantsOf(pid: number): ProcessInfo[] {
  const pids = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const childrenOf = Map.groupBy(pids, parentOf);
  const below = (parent: number): ProcessInfo[] =>
    (childrenOf.get(parent) ?? []).flatMap((child) => [{ pid: child, command: commandOf(child) }, ...below(child)]);
  return below(pid);
}

/** A zombie counts as ended: its parent just has not reaped it yet. */
export function isAlive(pid: number): boolean {
  const stat = read(`/proc/${pid}/stat`);
  return stat !== undefined && !/\) Z /.test(stat);
}

/** Continues a stopped process. On a busy machine `up` may have replaced it by then. */
export function resume(pid: number): void {
  if (isAlive(pid)) process.kill(pid, "SIGCONT");
}

/** Only catches hangs: a busy machine may take many times as long as an idle one. */
export const HANG_MS = 120_000;

/** Looks again soon, then less and less often: each look takes time from what it waits for. */
const FIRST_LOOK_MS = 10;
const SLOWEST_LOOK_MS = 100;

export async function until(condition: () => unknown, what: string, timeoutMs = HANG_MS): Promise<void> {
  const deadlineMs = Date.now() + timeoutMs;
  for (let lookMs = FIRST_LOOK_MS; !(await condition()); lookMs = Math.min(1.5 * lookMs, SLOWEST_LOOK_MS)) {
    if (Date.now() > deadlineMs) throw new Error(`Timed out after ${timeoutMs / 1_000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}

function parentOf(pid: number): number {
  // The name is in parentheses and may itself contain some: read what follows the last one.
  const fields = read(`/proc/${pid}/stat`)?.split(") ").at(-1)?.split(" ");
  return Number(fields?.[1] ?? -1);
}

const commandOf = (pid: number): string => read(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ").trim() ?? "";

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

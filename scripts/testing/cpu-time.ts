import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";

/** Linux counts processor time in hundredths of a second (`getconf CLK_TCK`) on every machine that Node runs on. */
const ticksPerSecond = 100;

/** Processor seconds of a piece of work, with everything that it starts; undefined where the system does not count. */
export async function measureCpu<T>(work: () => Promise<T>): Promise<{ value: T; seconds: number | undefined }> {
  const before = cpuSecondsBelow(process.pid);
  const value = await work();
  const after = cpuSecondsBelow(process.pid);
  return { value, seconds: before === undefined || after === undefined ? undefined : after - before };
}

/** Under this name a group of files logs what its whole process took. */
export const groupKey = (files: readonly string[]): string => `process of ${files[0]}`;

type Usage = { parent: number; seconds: number };

/**
 * Processor seconds of this process, of every process below it, and of those that have ended. Undefined where the
 * system has no /proc.
 */
function cpuSecondsBelow(pid: number): number | undefined {
  const usages = readAll();
  if (!usages.has(pid)) return undefined;
  const isBelow = (candidate: number): boolean => {
    if (candidate === pid) return true;
    const parent = usages.get(candidate)?.parent;
    return parent !== undefined && parent > 1 && isBelow(parent);
  };
  let sum = 0;
  for (const [candidate, { seconds }] of usages) if (isBelow(candidate)) sum += seconds;
  return sum;
}

/** Processor seconds of this process and of its children that have ended. */
export const ownCpuSeconds = (): number | undefined => readUsage("self")?.seconds;

/** Writes to a log, one line per file, what this process and its ended children took since then. */
export function logCpuSeconds(log: string | undefined, file: string, sinceS = 0): void {
  const seconds = ownCpuSeconds();
  if (log !== undefined && seconds !== undefined) appendFileSync(log, `${seconds - sinceS} ${file}\n`);
}

/** What the files of a run have written to the log: processor seconds by path. */
export function readCpuLog(log: string): ReadonlyMap<string, number> {
  const lines = existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : [];
  return new Map(
    lines.map((line) => {
      const space = line.indexOf(" ");
      return [line.slice(space + 1), Number(line.slice(0, space))];
    }),
  );
}

function readAll(): Map<number, Usage> {
  const usages = new Map<number, Usage>();
  if (!existsSync("/proc/self/stat")) return usages;
  for (const name of readdirSync("/proc")) {
    const usage = /^\d+$/.test(name) ? readUsage(name) : undefined;
    if (usage !== undefined) usages.set(Number(name), usage);
  }
  return usages;
}

/** The fields of proc(5) `stat` after the name, which may itself hold spaces: state, ppid, …, utime, stime, cutime, cstime. */
function readUsage(name: string): Usage | undefined {
  try {
    const text = readFileSync(`/proc/${name}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
    return { parent: Number(fields[1]), seconds: ticks / ticksPerSecond };
  } catch {
    // It has ended, or there is no /proc here.
    return undefined;
  }
}

import { readdirSync, readFileSync } from "node:fs";

const NANOSECONDS_PER_SECOND = 1e9;

/**
 * CPU time the processes have used, from the scheduler's own account: nanoseconds, not the ticks of /proc/PID/stat.
 * A thread that ended takes its share along; servers keep their threads.
 */
export function cpuSeconds(pids: readonly number[]): number {
  let nanoseconds = 0;
  for (const pid of pids) {
    for (const thread of threadsOf(pid)) nanoseconds += timeOnCpu(`/proc/${pid}/task/${thread}/schedstat`);
  }
  return nanoseconds / NANOSECONDS_PER_SECOND;
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function timeOnCpu(file: string): number {
  try {
    return Number(readFileSync(file, "utf8").split(" ")[0]);
  } catch {
    return 0;
  }
}

import { readFileSync } from "node:fs";
import { BenchFault } from "./fault.ts";

const BYTES_PER_KB = 1_024;

/** Memory of the processes; shared memory counts once (proportional set size). */
export function memoryBytes(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + proportionalSetSize(pid), 0);
}

function proportionalSetSize(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+) kB$/m.exec(readRollup(pid))?.[1];
  if (kilobytes === undefined) throw new BenchFault(`The memory of process ${pid} is not in /proc.`);
  return Number(kilobytes) * BYTES_PER_KB;
}

function readRollup(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  } catch {
    return "";
  }
}

import { availableParallelism, cpus, loadavg, totalmem } from "node:os";

export type Machine = { node: string; cores: number; processor: string; memoryGb: number; loadAverage: number };

/** A figure means little without these. */
export function describeMachine(): Machine {
  return {
    node: process.version,
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? "unknown processor",
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    loadAverage: Number((loadavg()[0] ?? 0).toFixed(1)),
  };
}

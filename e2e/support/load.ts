import { availableParallelism, loadavg } from "node:os";

/** Scales a time limit for an idle machine by the load per core. */
export function underLoad(idleMs: number): number {
  const perCore = (loadavg()[0] ?? 0) / availableParallelism();
  return idleMs * Math.max(1, perCore);
}

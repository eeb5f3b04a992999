import { availableParallelism, loadavg } from "node:os";

/** A bound of time that holds on an idle machine, and grows with the number of processes that share a core. */
export function onThisMachine(idleMs: number): number {
  const perCore = (loadavg()[0] ?? 0) / availableParallelism();
  return idleMs * Math.max(1, perCore);
}

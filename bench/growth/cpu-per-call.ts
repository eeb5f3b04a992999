import { cpuSeconds } from "../harness/cpu-seconds.ts";
import type { RunningServer } from "../harness/server.ts";

const BATCHES = 5;
const CALLS = 40;
/** The compiler is still at work during the first ones. */
const WARM_UP_CALLS = 200;

type Calls = { calls?: number; warmUp?: number };

/** Milliseconds of CPU time of a server per call, in several batches. Unlike the clock, it stands still while others work. */
export async function cpuPerCall(
  server: Pick<RunningServer, "pids">,
  call: (index: number) => Promise<unknown>,
  { calls = CALLS, warmUp = WARM_UP_CALLS }: Calls = {},
): Promise<number[]> {
  let index = 0;
  while (index < warmUp) await call(index++);
  const took: number[] = [];
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const before = cpuSeconds(server.pids());
    for (let at = 0; at < calls; at += 1) await call(index++);
    took.push(((cpuSeconds(server.pids()) - before) * 1_000) / calls);
  }
  return took;
}

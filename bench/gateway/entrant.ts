import { cpuSeconds } from "../harness/cpu-seconds.ts";
import { BenchFault } from "../harness/fault.ts";
import { watchMachine } from "../harness/quiet.ts";
import type { Measurement } from "../harness/round.ts";
import { type Contestant, type RunningContestant, startContestant } from "./contestant.ts";
import type { Order } from "./load/orders.ts";
import { startLoadGenerator } from "./load-generator.ts";

/** A running contestant, and its load generator. */
export type Entrant = {
  server: RunningContestant;
  /** What was done, and the CPU time of its servers. */
  measure(order: Order): Promise<Measurement>;
  [Symbol.asyncDispose](): Promise<void>;
};

export async function enter(contestant: Contestant): Promise<Entrant> {
  await using entering = new AsyncDisposableStack();
  const server = entering.use(await startContestant(contestant));
  const { label, dialect, ports } = server;
  const generator = entering.use(startLoadGenerator(label, { dialect, ports }));
  const entered = entering.move();
  return {
    server,
    async measure(order) {
      const pids = server.pids();
      const before = cpuSeconds(pids);
      const busyCores = watchMachine();
      const { done, wallS, cpuS: generatorS, latency } = await generator.run(order);
      // The CPU time of a process that started or ended meanwhile would be lost.
      if (String(server.pids()) !== String(pids)) {
        throw new BenchFault(`${label} started or lost a process under load, so its CPU time is unknown.`);
      }
      const cpuS = cpuSeconds(pids) - before;
      const othersCores = busyCores() - (cpuS + generatorS) / wallS;
      return { operations: done, wallS, cpuS, othersCores, ...latency };
    },
    [Symbol.asyncDispose]: () => entered.disposeAsync(),
  };
}

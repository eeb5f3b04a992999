import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { BenchFault } from "../harness/fault.ts";
import { faultCount } from "./load/faults.ts";
import type { LoadConfig, LoadReport, Order } from "./load/orders.ts";

/** A process that generates load; it holds as many sockets as it may open files. */
export type LoadGenerator = {
  /** Rejects when anything went wrong, so that the run gives no figure. */
  run(order: Order): Promise<LoadReport>;
  [Symbol.asyncDispose](): Promise<void>;
};

const PROGRAM = fileURLToPath(new URL("./load/main.ts", import.meta.url));

/** A larger young generation: garbage collection of the generator would show in the latencies. */
const FLAGS = ["--max-semi-space-size=64"];

export function startLoadGenerator(label: string, config: LoadConfig): LoadGenerator {
  const child = fork(PROGRAM, [JSON.stringify(config)], { execArgv: FLAGS });
  const gone = once(child, "exit");
  return {
    async run(order) {
      const answered = once(child, "message").then(([report]: LoadReport[]) => report);
      child.send(order);
      const report = await Promise.race([answered, gone.then(() => undefined)]);
      if (report === undefined) {
        throw new BenchFault(`${label}: the load generator ended in the middle of "${order.phase}".`);
      }
      refuseFaults(label, order, report);
      return report;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}

function refuseFaults(label: string, { phase }: Order, { faults, firstFault, done }: LoadReport): void {
  if (faultCount(faults) === 0) return;
  const kinds = Object.entries(faults).filter(([, count]) => count > 0);
  const counts = kinds.map(([kind, count]) => `${count} ${kind}`).join(", ");
  throw new BenchFault(`${label}, ${phase}: ${counts} and ${done} done. The first: ${firstFault}`);
}

import type { GatewayCase } from "./gateway/cases/case.ts";
import { cycle } from "./gateway/cases/cycle.ts";
import { deliver } from "./gateway/cases/deliver.ts";
import { latency } from "./gateway/cases/latency.ts";
import { memory } from "./gateway/cases/memory.ts";
import { sockets } from "./gateway/cases/sockets.ts";
import { bareWs } from "./gateway/contestants.ts";
import { findNchan } from "./gateway/nchan.ts";
import { BenchFault } from "./harness/fault.ts";
import type { Session } from "./harness/session.ts";

const cases: Readonly<Record<string, GatewayCase>> = { memory, deliver, cycle, latency };
/** Too long for every run: only when it is named. */
const longCases: Readonly<Record<string, GatewayCase>> = { sockets };

/** The gateway compared with the simplest Node program that does its work, and with a message queue in C. */
export async function run(session: Session): Promise<void> {
  const chosen = chooseCases(session.only);
  const found = await findNchan();
  if ("missing" in found) session.say([found.missing]);
  const peers = { bareWs, nchan: "missing" in found ? undefined : found.contestant };
  const faults: string[] = [];
  for (const [name, runCase] of chosen) {
    try {
      await runCase(session, peers);
    } catch (error) {
      // One failed case does not stop the others, unless the run was interrupted.
      if (!(error instanceof BenchFault) || session.signal.aborted) throw error;
      faults.push(`${name}: ${error.message}`);
    }
  }
  if (faults.length > 0) throw new BenchFault(faults.join("\n"));
}

function chooseCases(only: string | undefined): [string, GatewayCase][] {
  if (only === undefined) return Object.entries(cases);
  const all = { ...cases, ...longCases };
  const chosen = all[only];
  if (chosen !== undefined) return [[only, chosen]];
  throw new BenchFault(`The gateway's bench has no case "${only}". There are: ${Object.keys(all).join(", ")}.`);
}

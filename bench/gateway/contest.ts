import { BenchFault } from "../harness/fault.ts";
import { quietPatienceMs } from "../harness/limits.ts";
import { measureInQuiet } from "../harness/quiet.ts";
import type { Round } from "../harness/round.ts";
import { runRounds } from "../harness/rounds.ts";
import type { Session } from "../harness/session.ts";
import type { Contestant } from "./contestant.ts";
import { type Entrant, enter } from "./entrant.ts";
import type { Order } from "./load/orders.ts";

export type GatewayContest = {
  title: string;
  contestants: readonly Contestant[];
  /** Sockets connected and registered before the first repetition, and kept. */
  sockets: number;
  warmUp: Order;
  order: Order;
  /** Of each repetition: the order is carried out so many times. */
  turns?: number;
  /** Measure on a quiet machine, if possible. */
  wantsQuiet?: boolean;
};

/** The same order for every contestant, in interleaved repetitions. All run all the time; one at a time has work. */
export async function runContest(session: Session, contest: GatewayContest): Promise<Round[]> {
  const { title, contestants, sockets, warmUp, order, turns = 1, wantsQuiet = false } = contest;
  await using stack = new AsyncDisposableStack();
  const entrants = new Map<string, Entrant>();
  for (const contestant of contestants) {
    session.signal.throwIfAborted();
    const { label } = contestant;
    session.progress(`${title}: starting ${label}`);
    const entrant = stack.use(await enter(contestant));
    entrants.set(label, entrant);
    if (sockets > 0) await entrant.measure({ phase: "connect", sockets });
    session.progress(`${title}: warming up ${label}`);
    await entrant.measure(warmUp);
  }
  const deadlineMs = performance.now() + (session.quick ? 0 : quietPatienceMs);
  const measure = async (label: string) => {
    const entrant = entrants.get(label);
    if (entrant === undefined) throw new BenchFault(`${title}: ${label} was not started.`);
    const once = () => entrant.measure(order);
    return wantsQuiet ? measureInQuiet(once, deadlineMs, session.signal) : once();
  };
  // Awaited here, because the entrants are closed when this function returns.
  return await runRounds(session, { title, labels: [...entrants.keys()], measure, turns });
}

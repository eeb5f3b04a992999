import { cpuSeconds } from "./cpu-seconds.ts";
import { BenchFault } from "./fault.ts";
import { quickLoadS, turnS, turns, warmUpS } from "./limits.ts";
import { type Load, runLoad } from "./load.ts";
import type { Measurement } from "./round.ts";
import { runRounds } from "./rounds.ts";
import { type RunningServer, type ServerOptions, startServer } from "./server.ts";
import type { Session } from "./session.ts";
import type { Target } from "./target.ts";

/** A server, and its own load if its addresses differ from the others' or must be requested first. */
export type Contestant = { server: ServerOptions; load?: Load | ((server: RunningServer) => Promise<Load>) };

export type CompareOptions = {
  title: string;
  ours: Contestant;
  peers: readonly Contestant[];
  load: Load;
  /** Repetitions that count, five or more. */
  repetitions?: number;
  targets?: readonly Target[];
};

/** Compares our server with others under the same load, in interleaved repetitions, by requests per second of CPU time. */
export async function compare(session: Session, options: CompareOptions): Promise<void> {
  const { title, ours, peers, load, repetitions, targets } = options;
  await using servers = new AsyncDisposableStack();
  const running = new Map<string, { server: RunningServer; load: Load }>();
  for (const contestant of [ours, ...peers]) {
    const { label } = contestant.server;
    session.progress(`${title}: starting ${label}`);
    const server = servers.use(await startServer(contestant.server));
    const own = typeof contestant.load === "function" ? await contestant.load(server) : contestant.load;
    running.set(label, { server, load: own ?? load });
  }
  if (running.size !== peers.length + 1) throw new BenchFault(`${title}: two contestants have the same label.`);

  const seconds = session.quick ? quickLoadS : turnS;
  const measure = (label: string, forS = seconds) => {
    const found = running.get(label);
    if (found === undefined) throw new BenchFault(`${title}: ${label} was not started.`);
    return measureLoad(found.server, found.load, forS, session.signal);
  };
  for (const label of running.keys()) {
    session.progress(`${title}: warming up ${label}`);
    await measure(label, session.quick ? quickLoadS : warmUpS);
  }
  const rounds = await runRounds(session, {
    title,
    labels: [...running.keys()],
    measure: (label) => measure(label),
    turns,
    ...(repetitions === undefined ? {} : { repetitions }),
  });
  session.report({
    title,
    description: `${load.description}, ${turns} × ${seconds} s each, by turns`,
    unit: "requests",
    ours: ours.server.label,
    peers: peers.map(({ server }) => server.label),
    rounds,
    ...(targets === undefined ? {} : { targets }),
  });
}

async function measureLoad(server: RunningServer, load: Load, seconds: number, signal: AbortSignal) {
  const pids = server.pids();
  const before = cpuSeconds(pids);
  const result = await runLoad(load, { label: server.label, url: server.url, seconds, signal });
  // The CPU time of a process that started or ended meanwhile would be lost.
  if (String(server.pids()) !== String(pids)) {
    throw new BenchFault(`${server.label} started or lost a process under load, so its CPU time is unknown.`);
  }
  const measurement: Measurement = {
    operations: result.requests,
    wallS: result.seconds,
    cpuS: cpuSeconds(pids) - before,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
  };
  return measurement;
}

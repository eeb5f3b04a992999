import { setTimeout as delay } from "node:timers/promises";
import { findNchan } from "../../gateway/nchan.ts";
import { cpuSeconds } from "../../harness/cpu-seconds.ts";
import { BenchFault } from "../../harness/fault.ts";
import { minRepetitions } from "../../harness/limits.ts";
import { memoryBytes } from "../../harness/memory.ts";
import type { Measurement } from "../../harness/round.ts";
import { runRounds } from "../../harness/rounds.ts";
import { type RunningServer, type ServerOptions, startServer } from "../../harness/server.ts";
import type { Session } from "../../harness/session.ts";
import { createIntent, makeMany } from "../calls.ts";
import { bareSse, platform } from "../contestants.ts";
import { heldStreams, idleSettleMs, quickSettleMs, startSettleMs } from "../limits.ts";
import { type HeldStreams, holdStreams } from "../streams.ts";

type StreamServer = { server: ServerOptions; paths: (server: RunningServer) => Promise<string[]> };

const OURS = "intents on SQLite";
const numbered = async () => Array.from({ length: heldStreams }, (_, index) => `/subscribe?state=${index}`);

/** What it costs when a program waits for its user on an event stream. */
export async function streams(session: Session): Promise<void> {
  const nchan = await findNchan();
  const nchanServer = "missing" in nchan ? undefined : nchan.contestant.servers[0];
  if ("missing" in nchan) session.say([nchan.missing]);
  const servers = new Map<string, StreamServer>([
    [OURS, { server: platform(OURS), paths: pathsOfIntents }],
    [bareSse.label, { server: bareSse, paths: numbered }],
    ...(nchanServer === undefined ? [] : [["nchan", { server: nchanServer, paths: numbered }] as const]),
  ]);
  const title = `Intents memory, ${heldStreams.toLocaleString("en")} open streams in one process`;
  const rounds = await runRounds(session, {
    title,
    labels: [...servers.keys()],
    repetitions: minRepetitions,
    measure: (label) => measureStreams(session, label, servers.get(label)),
  });
  session.report({
    title,
    description: `growth of a fresh process, after ${settleMs(session) / 1_000} s of rest`,
    unit: "streams opened",
    ours: OURS,
    peers: [...servers.keys()].filter((label) => label !== OURS),
    rounds,
    measures: ["bytes each", "per CPU-s"],
    targets: nchanServer === undefined ? [] : [{ measure: "bytes each", peer: "nchan", atMost: 1.3 }],
  });
}

const pathsOfIntents = async ({ url }: RunningServer) =>
  (await makeMany(url, createIntent, "token", heldStreams)).map((token) => `/auth/intents/${token}/status`);

/** In a new process each time: a process that held streams before can reuse their memory. */
async function measureStreams(session: Session, label: string, found: StreamServer | undefined): Promise<Measurement> {
  if (found === undefined) throw new BenchFault(`There is no ${label}.`);
  const { signal } = session;
  await using server = await startServer(found.server);
  const paths = await found.paths(server);
  await delay(startSettleMs, undefined, { signal });
  const pids = server.pids();
  const [memoryBefore, cpuBefore, startMs] = [memoryBytes(pids), cpuSeconds(pids), performance.now()];
  using held: HeldStreams = await holdStreams({ port: server.port, paths });
  const [cpuS, wallS] = [cpuSeconds(pids) - cpuBefore, (performance.now() - startMs) / 1_000];
  await delay(settleMs(session), undefined, { signal });
  if (held.open() !== paths.length) throw new BenchFault(`${label} lost ${paths.length - held.open()} streams.`);
  return { operations: paths.length, wallS, cpuS, bytesEach: (memoryBytes(pids) - memoryBefore) / paths.length };
}

const settleMs = ({ quick }: Session): number => (quick ? quickSettleMs : idleSettleMs);

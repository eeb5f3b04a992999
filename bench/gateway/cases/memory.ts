import { setTimeout as delay } from "node:timers/promises";
import { BenchFault } from "../../harness/fault.ts";
import { minRepetitions } from "../../harness/limits.ts";
import { memoryBytes } from "../../harness/memory.ts";
import type { Measurement } from "../../harness/round.ts";
import { runRounds } from "../../harness/rounds.ts";
import type { Session } from "../../harness/session.ts";
import type { Target } from "../../harness/target.ts";
import type { Contestant } from "../contestant.ts";
import { gateway } from "../contestants.ts";
import { type Entrant, enter } from "../entrant.ts";
import { idleSettleMs, idleSockets, otherFiles, quickSettleMs, startSettleMs } from "../limits.ts";
import { openFileLimit } from "../open-files.ts";
import { type GatewayCase, labelsOf, listOf, type Peers } from "./case.ts";

/** What a registered, waiting socket costs. */
export const memory: GatewayCase = async (session, peers) => {
  const sockets = Math.min(idleSockets, openFileLimit() - otherFiles);
  const title = `Gateway memory, ${sockets.toLocaleString("en")} idle sockets in one process`;
  const contestants = new Map([gateway, ...listOf(peers)].map((contestant) => [contestant.label, contestant]));
  const rounds = await runRounds(session, {
    title,
    labels: [...contestants.keys()],
    repetitions: minRepetitions,
    measureTogether: (labels) => measureIdle(session, inOrder(labels, contestants), sockets),
  });
  session.report({
    title,
    description: `growth of a fresh process, each socket registered, after ${settleMs(session) / 1_000} s of rest`,
    unit: "sockets registered",
    ours: gateway.label,
    peers: labelsOf(peers),
    rounds,
    measures: ["bytes each", "per CPU-s"],
    targets: targetsFor(peers),
  });
};

function targetsFor({ bareWs, nchan }: Peers): Target[] {
  const measure = "bytes each";
  const targets: Target[] = [{ measure, peer: bareWs.label, atMost: 1.15 }];
  if (nchan !== undefined) targets.push({ measure, peer: nchan.label, atMost: 1 });
  return targets;
}

type Idle = { entrant: Entrant; before: number; connected: Measurement };

/** In new processes each time: a process that held sockets before can reuse their memory. */
async function measureIdle(session: Session, contestants: readonly Contestant[], sockets: number) {
  await using stack = new AsyncDisposableStack();
  const { signal } = session;
  const idle: Idle[] = [];
  for (const contestant of contestants) {
    const entrant = stack.use(await enter(contestant));
    await delay(startSettleMs, undefined, { signal });
    const before = memoryBytes(entrant.server.pids());
    idle.push({ entrant, before, connected: await entrant.measure({ phase: "connect", sockets }) });
  }
  await delay(settleMs(session), undefined, { signal });
  const measurements: Record<string, Measurement> = {};
  for (const { entrant, before, connected } of idle) {
    const { label, pids } = entrant.server;
    measurements[label] = { ...connected, bytesEach: (memoryBytes(pids()) - before) / sockets };
    // A lost socket would look like saved memory, so each must still get its code.
    await entrant.measure({ phase: "deliver-once" });
  }
  return measurements;
}

const settleMs = ({ quick }: Session): number => (quick ? quickSettleMs : idleSettleMs);

function inOrder(labels: readonly string[], contestants: ReadonlyMap<string, Contestant>): Contestant[] {
  return labels.map((label) => {
    const contestant = contestants.get(label);
    if (contestant === undefined) throw new BenchFault(`There is no ${label}.`);
    return contestant;
  });
}

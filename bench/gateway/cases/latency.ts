import { startRedis } from "../../../scripts/services/index.ts";
import { loadS, quickLoadS } from "../../harness/limits.ts";
import type { Round } from "../../harness/round.ts";
import type { Target } from "../../harness/target.ts";
import { runContest } from "../contest.ts";
import { gateway, gatewaysOverRedis } from "../contestants.ts";
import { deliverSockets, latencyPerSecond, warmUpS } from "../limits.ts";
import { percentiles } from "../load/percentiles.ts";
import { type GatewayCase, labelsOf, listOf } from "./case.ts";

/** From the moment a callback is due until its code arrives, at a rate that every server can handle. */
export const latency: GatewayCase = async (session, peers) => {
  await using redis = await startRedis();
  const two = gatewaysOverRedis(2, redis.url);
  const title = `Gateway latency at ${latencyPerSecond.toLocaleString("en")}/s`;
  const seconds = session.quick ? quickLoadS : loadS;
  const order = { phase: "latency", seconds, perSecond: latencyPerSecond } as const;
  const rounds = await runContest(session, {
    title,
    contestants: [gateway, two, ...listOf(peers)],
    sockets: deliverSockets,
    warmUp: { ...order, seconds: session.quick ? quickLoadS : warmUpS },
    order,
    wantsQuiet: true,
  });
  const common = {
    description: `${deliverSockets.toLocaleString("en")} sockets, ${seconds} s each, ${ownShare(rounds)}`,
    unit: "deliveries",
    rounds,
    measures: ["p50 ms", "p99 ms"],
  } as const;
  session.report({ ...common, title, ours: gateway.label, peers: labelsOf(peers) });
  const targets: Target[] = [{ measure: "p50 ms", peer: gateway.label, atMost: 2 }];
  if (peers.nchan !== undefined) targets.push({ measure: "p99 ms", peer: peers.nchan.label, atMost: 2 });
  session.report({
    ...common,
    title: `${title} across two instances`,
    ours: two.label,
    peers: [gateway.label, ...labelsOf(peers)],
    targets,
  });
};

/** The delay that the load generator itself added, so that nobody blames the servers for it. */
function ownShare(rounds: readonly Round[]): string {
  const counted = rounds.filter(({ dropped }) => !dropped).flatMap(({ measurements }) => Object.values(measurements));
  const [p50 = Number.NaN] = percentiles(
    counted.map(({ sentP50Ms = Number.NaN }) => sentP50Ms),
    0.5,
  );
  const [p99 = Number.NaN] = percentiles(
    counted.map(({ sentP99Ms = Number.NaN }) => sentP99Ms),
    0.5,
  );
  return `sent late by ${p50.toFixed(3)} ms (p50) and ${p99.toFixed(3)} ms (p99)`;
}

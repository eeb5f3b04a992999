import { startRedis } from "../../../scripts/services/index.ts";
import { quickLoadS, turnS, turns } from "../../harness/limits.ts";
import { runContest } from "../contest.ts";
import { gateway, gatewaysOverRedis } from "../contestants.ts";
import { deliverSockets, warmUpS } from "../limits.ts";
import { type GatewayCase, labelsOf, listOf } from "./case.ts";

/** Callbacks as fast as possible, on one instance and across two. */
export const deliver: GatewayCase = async (session, peers) => {
  await using redis = await startRedis();
  const two = gatewaysOverRedis(2, redis.url);
  const title = "Gateway deliver";
  const seconds = session.quick ? quickLoadS : turnS;
  const rounds = await runContest(session, {
    title,
    contestants: [gateway, two, ...listOf(peers)],
    sockets: deliverSockets,
    warmUp: { phase: "deliver", seconds: session.quick ? quickLoadS : warmUpS },
    order: { phase: "deliver", seconds },
    turns,
  });
  const description = `${deliverSockets.toLocaleString("en")} sockets, each registers again after its code, ${turns} × ${seconds} s each, by turns`;
  const common = { description, unit: "deliveries", rounds };
  session.report({
    ...common,
    title,
    ours: gateway.label,
    peers: labelsOf(peers),
    targets: [{ measure: "per CPU-s", peer: peers.bareWs.label, atLeast: 0.9 }],
  });
  session.report({
    ...common,
    title: `${title} across two instances`,
    description: `${description}, every callback at the instance without the socket, CPU time of both instances`,
    ours: two.label,
    peers: [gateway.label],
    targets: [{ measure: "per CPU-s", peer: gateway.label, atLeast: 0.45 }],
  });
};

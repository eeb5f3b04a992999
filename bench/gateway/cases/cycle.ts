import { quickLoadS, turnS, turns } from "../../harness/limits.ts";
import { runContest } from "../contest.ts";
import { gateway } from "../contestants.ts";
import { warmUpS } from "../limits.ts";
import { flowsAtOnce } from "../load/limits.ts";
import { type GatewayCase, labelsOf, listOf } from "./case.ts";

/** The whole life of a client: connect, register, receive, close. */
export const cycle: GatewayCase = async (session, peers) => {
  const title = "Gateway cycle";
  const seconds = session.quick ? quickLoadS : turnS;
  const rounds = await runContest(session, {
    title,
    contestants: [gateway, ...listOf(peers)],
    sockets: 0,
    warmUp: { phase: "cycle", seconds: session.quick ? quickLoadS : warmUpS },
    order: { phase: "cycle", seconds },
    turns,
  });
  const peer = peers.bareWs.label;
  session.report({
    title,
    description: `connect, register, callback, receive, close; ${flowsAtOnce} flows at once, ${turns} × ${seconds} s each, by turns`,
    unit: "flows",
    ours: gateway.label,
    peers: labelsOf(peers),
    rounds,
    targets: [
      { measure: "per CPU-s", peer, atLeast: 1 },
      { measure: "per CPU-s", peer, atLeast: 1.5, isStretch: true },
    ],
  });
};

import type { Session } from "../../harness/session.ts";
import type { Contestant } from "../contestant.ts";

/** Who takes part besides ours; nchan only where it can be had. */
export type Peers = { bareWs: Contestant; nchan: Contestant | undefined };

export type GatewayCase = (session: Session, peers: Peers) => Promise<void>;

export function labelsOf({ bareWs, nchan }: Peers): string[] {
  return nchan === undefined ? [bareWs.label] : [bareWs.label, nchan.label];
}

export function listOf({ bareWs, nchan }: Peers): Contestant[] {
  return nchan === undefined ? [bareWs] : [bareWs, nchan];
}

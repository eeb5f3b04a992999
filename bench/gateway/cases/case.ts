import type { Session } from "../../harness/session.ts";
import type { Contestant } from "../contestant.ts";

/** What ours is compared with; nchan only where it can be installed. */
export type Peers = { bareWs: Contestant; nchan: Contestant | undefined };

export type GatewayCase = (session: Session, peers: Peers) => Promise<void>;

export function labelsOf({ bareWs, nchan }: Peers): string[] {
  return nchan === undefined ? [bareWs.label] : [bareWs.label, nchan.label];
}

export function listOf({ bareWs, nchan }: Peers): Contestant[] {
  return nchan === undefined ? [bareWs] : [bareWs, nchan];
}

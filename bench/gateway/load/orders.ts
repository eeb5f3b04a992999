import type { DialectName } from "./dialect.ts";
import type { FaultCounts } from "./faults.ts";

export type LoadConfig = {
  dialect: DialectName;
  /** One per server; with several, callbacks go to a server that the socket is not connected to. */
  ports: readonly number[];
  /** When missing messages count as lost. */
  lostAfterMs?: number;
};

export type Order =
  /** This many sockets, each registered. */
  | { phase: "connect"; sockets: number }
  /** Callbacks to the sockets in turn, as fast as possible; each registers the same state again. */
  | { phase: "deliver"; seconds: number }
  /** One callback to each socket. */
  | { phase: "deliver-once" }
  /** Callbacks at a fixed rate, timed from when they were due. */
  | { phase: "latency"; seconds: number; perSecond: number }
  /** Connect, register, callback, receive, close; a fresh state each time. */
  | { phase: "cycle"; seconds: number }
  /** Nothing but answers to pings, and a new registration before the old one expires. */
  | { phase: "hold"; seconds: number };

export type LoadReport = {
  done: number;
  wallS: number;
  /** The generator's own. */
  cpuS: number;
  /** From the moment a callback was due to its arrival, and to its sending: the second is this generator's own share. */
  latency?: { p50Ms: number; p99Ms: number; sentP50Ms: number; sentP99Ms: number };
  faults: FaultCounts;
  firstFault?: string | undefined;
};

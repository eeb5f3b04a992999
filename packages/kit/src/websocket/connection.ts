import type { IncomingMessage } from "node:http";
import type { Refusal } from "./frames.ts";

/** One connected peer. `data` belongs to the area and is made when the connection is accepted. */
export type Connection<Data> = {
  readonly data: Data;
  /** As `callerKey` names it. */
  readonly address: string;
  /** What the peer has not taken yet. */
  readonly unsentBytes: number;
  /** Sends one text frame. False when the peer is gone or was cut off because it does not read. */
  send(text: string): boolean;
  /** Sends a close frame. Messages that arrive afterwards are dropped. */
  close(code: number, reason: string): void;
};

export type SocketHandlers<Data> = {
  /** Makes the connection's data, or throws a Problem to refuse the upgrade. */
  accept(request: IncomingMessage, address: string): Data;
  onMessage(connection: Connection<Data>, text: string): void;
  /** A message was skipped and the connection stays. Without this handler it is closed with 1009 or 1003. */
  onRefused?(connection: Connection<Data>, why: Refusal): void;
  /** Called for each connection about every `sweepMs`, so that an area can end idle ones without a timer for each. */
  onSweep?(connection: Connection<Data>, nowMs: number): void;
  /** Called once for each accepted connection, however it ended. */
  onClose(connection: Connection<Data>): void;
  /** Called with what a handler threw. That connection is closed; the process and all other connections go on. */
  onFault(error: unknown): void;
};

export type SocketLimits = {
  /** One message, all of its fragments together. */
  maxPayloadBytes: number;
  /** How much of a refused message is skipped before the connection is closed for it. */
  maxSkippedBytes: number;
  /** How often a ping is sent; a peer that answers none of `missedPings` in a row counts as gone. */
  heartbeatMs: number;
  missedPings: number;
  /** A peer that leaves more than this unread is cut off. */
  maxUnsentBytes: number;
  maxConnections: number;
  maxPerAddress: number;
  /** How long a peer has to answer our close frame. */
  closeGraceMs: number;
  /** How often `onSweep` is called for each connection. */
  sweepMs: number;
};

export const SOCKET_LIMITS: SocketLimits = {
  maxPayloadBytes: 8 * 1024,
  maxSkippedBytes: 1024 * 1024,
  heartbeatMs: 25_000,
  missedPings: 2,
  maxUnsentBytes: 64 * 1024,
  maxConnections: 19_000,
  maxPerAddress: 100,
  closeGraceMs: 2_000,
  sweepMs: 5_000,
};

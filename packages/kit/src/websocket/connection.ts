import type { IncomingMessage } from "node:http";
import type { Refusal } from "./frames.ts";

/** One connected peer. `data` is the area's own, made when the connection is accepted. */
export type Connection<Data> = {
  readonly data: Data;
  readonly address: string;
  /** Sends one text frame. False when the peer is gone or was cut off because it does not read. */
  send(text: string): boolean;
  /** Says goodbye. Nothing that arrives afterwards is handed on. */
  close(code: number, reason: string): void;
};

export type SocketHandlers<Data> = {
  /** Makes the connection's data, or throws a Problem to refuse the upgrade. */
  accept(request: IncomingMessage, address: string): Data;
  onMessage(connection: Connection<Data>, text: string): void;
  /** A message was read past and the connection stays. Without this handler it is closed, with 1009 or 1003. */
  onRefused?(connection: Connection<Data>, why: Refusal): void;
  /** Sees each connection about every `sweepMs`, so that an area can end idle ones without a timer for each. */
  onSweep?(connection: Connection<Data>, nowMs: number): void;
  /** Once for each accepted connection, however it ended. */
  onClose(connection: Connection<Data>): void;
  /** Hears what a handler threw. That connection is closed; the process and all others go on. */
  onFault(error: unknown): void;
};

import { type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../clock.ts";
import { callerKey } from "./caller-address.ts";
import type { HttpLimits } from "./limits.ts";

type Bounds = Pick<
  HttpLimits,
  "maxUnsentBytesPerConnection" | "maxUnsentBytesPerAddress" | "maxUnsentBytes" | "maxStalledMs" | "unsentCheckMs"
>;

/** A connection whose client has not taken all that was written to it. */
type Slow = { socket: Socket; bytes: number; sentBytes: number; sinceMs: number };

type UnsentBytes = {
  /** For node:http: tells us of answers that could not be sent at once. */
  Response: typeof ServerResponse;
  /** Watches all connections of a server: answers, event streams and WebSockets. `isShared`: many clients use this address. */
  watch(server: Server, isShared: (address: string) => boolean): void;
  /** Measures, and cuts off where there is too much. Done every `unsentCheckMs`. */
  check(): void;
  /** As of the last check. */
  total(): number;
};

type Options = { onCutOff: () => void; now?: Clock };

/** After cutting off, this much of a limit is in use, so that the next answer does not cause the next check. */
const REFILL = 0.75;

/**
 * Limits what this process keeps for clients that do not read. A client that takes no byte for `maxStalledMs` is cut off. When
 * there is too much for a connection, an address or in total, those are cut off that have taken nothing for longest.
 */
export function createUnsentBytes(limits: Bounds, { onCutOff, now = () => performance.now() }: Options): UnsentBytes {
  const open = new Set<Socket>();
  const slow = new Map<Socket, Slow>();
  let total = 0;
  /** What was left unsent by answers since the last check: at most this much has been added. */
  let added = 0;
  let isShared: (address: string) => boolean = () => false;

  function cutOff(one: Slow): void {
    total -= one.bytes;
    slow.delete(one.socket);
    onCutOff();
    one.socket.destroy();
  }

  function cutOffDownTo(maxBytes: number, among: readonly Slow[]): void {
    let bytes = sumOf(among);
    if (bytes <= maxBytes) return;
    for (const one of among.toSorted((a, b) => a.sinceMs - b.sinceMs || b.bytes - a.bytes)) {
      if (bytes <= maxBytes * REFILL) return;
      bytes -= one.bytes;
      cutOff(one);
    }
  }

  function check(): void {
    const nowMs = now();
    added = 0;
    for (const socket of open) {
      const bytes = socket.writableLength;
      if (bytes === 0) slow.delete(socket);
      else {
        const sentBytes = sentTo(socket);
        const known = slow.get(socket);
        if (known?.sentBytes === sentBytes) known.bytes = bytes;
        else slow.set(socket, { socket, bytes, sentBytes, sinceMs: nowMs });
      }
    }
    total = sumOf(slow.values());
    for (const one of slow.values()) {
      if (one.bytes > limits.maxUnsentBytesPerConnection || nowMs - one.sinceMs > limits.maxStalledMs) cutOff(one);
    }
    const byCaller = Map.groupBy(slow.values(), ({ socket: { remoteAddress = "" } }) =>
      isShared(remoteAddress) ? undefined : callerKey(remoteAddress),
    );
    byCaller.delete(undefined);
    for (const those of byCaller.values()) cutOffDownTo(limits.maxUnsentBytesPerAddress, those);
    cutOffDownTo(limits.maxUnsentBytes, [...slow.values()]);
  }

  function onClose(this: Socket): void {
    open.delete(this);
    slow.delete(this);
  }

  class Response<Request extends IncomingMessage> extends ServerResponse<Request> {
    override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
      super.end(chunk, encoding as BufferEncoding, callback as () => void);
      const unsent = this.socket?.writableLength ?? 0;
      if (unsent > 0) {
        added += unsent;
        if (total + added > limits.maxUnsentBytes) check();
      }
      return this;
    }
  }

  return {
    Response,
    watch(server, isSharedAddress) {
      isShared = isSharedAddress;
      server.on("connection", (socket) => {
        open.add(socket);
        socket.on("close", onClose);
      });
      const timer = setInterval(check, limits.unsentCheckMs).unref();
      server.once("close", () => clearInterval(timer));
    },
    check,
    total: () => total,
  };
}

function sumOf(all: Iterable<Slow>): number {
  let bytes = 0;
  for (const one of all) bytes += one.bytes;
  return bytes;
}

/** What the system has taken of all that was written. `bytesWritten` also counts what waits; this is how Node's own idle timer sees progress. */
function sentTo(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: { bytesWritten: number; writeQueueSize: number } };
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}

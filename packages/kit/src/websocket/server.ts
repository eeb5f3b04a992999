import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "../clock.ts";
import { callerKey } from "../http/caller-address.ts";
import { Problem } from "../problems.ts";
import { CLOSE } from "./close-codes.ts";
import type { SocketHandlers } from "./connection.ts";
import { SOCKET_LIMITS, type SocketLimits } from "./connection.ts";
import { Deadlines } from "./deadlines.ts";
import { FrameReaders } from "./frames.ts";
import { acceptance, readHandshake, refuse } from "./handshake.ts";
import { Addresses, Buckets } from "./open-connections.ts";
import { listen, Peer, type Shared } from "./peer.ts";

export type SocketServer = {
  /** Takes over upgrade requests for these paths; any other path is refused with 404, unless `unless` says that another server takes the request. */
  attach(server: Server, paths: readonly string[], options?: { unless?: (request: IncomingMessage) => boolean }): void;
  connections(): number;
  /** Closes all connections, with code 1001 by default, and accepts no more. */
  close(code?: number, reason?: string): Promise<void>;
};

export type SocketServerOptions = {
  limits?: Partial<SocketLimits>;
  /** The address that a request counts for: behind a trusted proxy not that of the socket. */
  addressOf?: (request: IncomingMessage) => string;
  /** Whether `maxPerAddress` applies to a caller, as `callerKey` names it. */
  countsForAddress?: (caller: string) => boolean;
  /** The clock for `onSweep`. */
  now?: Clock;
};

type Admission<Data> = { address: string; answer: string; data: Data };

/**
 * WebSockets (RFC 6455, no extensions) on node:http's upgrades. A connection costs its socket and one object: timers,
 * listeners and readers are shared.
 */
export function createSocketServer<Data>(
  handlers: SocketHandlers<Data>,
  {
    limits: overrides,
    addressOf = (request) => request.socket.remoteAddress ?? "",
    countsForAddress = () => true,
    now = Date.now,
  }: SocketServerOptions = {},
): SocketServer {
  const limits = { ...SOCKET_LIMITS, ...overrides };
  const addresses = new Addresses();
  const paths = new Set<string>();
  const buckets = new Buckets<Peer<Data>>();
  const shared: Shared<Data> = {
    handlers,
    limits,
    addresses,
    buckets,
    closeDeadlines: new Deadlines(limits.closeGraceMs, (peer) => peer.cut()),
    readers: new FrameReaders({
      maxPayloadBytes: limits.maxPayloadBytes,
      maxSkippedBytes: handlers.onRefused === undefined ? limits.maxPayloadBytes : limits.maxSkippedBytes,
    }),
    onDisconnected() {
      if (buckets.size === 0) onAllDisconnected?.();
    },
  };
  buckets.visitEvery(limits.heartbeatMs, (peer) => peer.heartbeat());
  if (handlers.onSweep) buckets.visitEvery(limits.sweepMs, (peer) => peer.sweep(now()));
  let closing: Promise<void> | undefined;
  let onAllDisconnected: (() => void) | undefined;

  function admit(request: IncomingMessage): Admission<Data> {
    const [path = "/"] = (request.url ?? "/").split("?", 1);
    if (!paths.has(path)) throw new Problem("not-found");
    const handshake = readHandshake(request);
    if (closing) throw new Problem("not-ready");
    if (buckets.size >= limits.maxConnections)
      throw new Problem("not-ready", { detail: "The server is at its limit of connections. Try again shortly." });
    const address = callerKey(addressOf(request));
    if (addresses.countOf(address) >= limits.maxPerAddress && countsForAddress(address)) {
      throw new Problem("too-many-requests", {
        detail: `At most ${limits.maxPerAddress} connections per address. Close one first.`,
      });
    }
    return { address, answer: acceptance(handshake), data: handlers.accept(request, address) };
  }

  function onUpgrade(request: IncomingMessage, duplex: Duplex, head: Buffer): void {
    // node:http types it as any stream; what a server accepts from the network is a socket.
    const socket = duplex as Socket;
    if (socket.destroyed) return;
    let admission: Admission<Data>;
    try {
      admission = admit(request);
    } catch (fault) {
      const isExpected = fault instanceof Problem;
      if (!isExpected) handlers.onFault(fault);
      refuse(socket, isExpected ? fault : new Problem("internal-error", { cause: fault }));
      return;
    }
    if (socket.timeout) socket.setTimeout(0);
    socket.setNoDelay(true);
    const peer = new Peer(shared, socket, admission.address, admission.data);
    listen(socket, peer);
    socket.write(admission.answer, "latin1");
    if (head.length > 0) peer.receive(head);
  }

  function closeAll(code: number, reason: string): Promise<void> {
    if (buckets.size === 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    onAllDisconnected = resolve;
    for (const peer of buckets.members()) peer.close(code, reason);
    return promise;
  }

  return {
    attach(httpServer, taken, { unless } = {}) {
      for (const path of taken) paths.add(path);
      httpServer.on("upgrade", (request, socket, head) => {
        if (!unless?.(request)) onUpgrade(request, socket, head);
      });
    },
    connections: () => buckets.size,
    close(code = CLOSE.goingAway, reason = "going away") {
      closing ??= closeAll(code, reason);
      return closing;
    },
  };
}

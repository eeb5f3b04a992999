import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "../clock.ts";
import { Problem } from "../problems.ts";
import { Addresses } from "./addresses.ts";
import { Circles } from "./circles.ts";
import { CLOSE } from "./close-codes.ts";
import type { SocketHandlers } from "./connection.ts";
import { Deadlines } from "./deadlines.ts";
import { acceptance, readHandshake, refuse } from "./handshake.ts";
import { SOCKET_LIMITS, type SocketLimits } from "./limits.ts";
import { listen } from "./listen.ts";
import { type Company, Peer } from "./peer.ts";
import { FrameReaders } from "./readers.ts";

export type SocketServer = {
  /** Takes over upgrade requests for these paths; any other path is refused with 404, unless another takes the request. */
  attach(server: Server, paths: readonly string[], options?: { unless?: (request: IncomingMessage) => boolean }): void;
  connections(): number;
  /** Says goodbye to everybody, with 1001 unless told otherwise, and accepts nobody any more. */
  close(code?: number, reason?: string): Promise<void>;
};

export type SocketServerOptions = {
  limits?: Partial<SocketLimits>;
  /** Whom a request counts for. Behind a trusted proxy that is not the socket's own peer. */
  addressOf?: (request: IncomingMessage) => string;
  /** Whether `maxPerAddress` holds for an address. */
  countsForAddress?: (address: string) => boolean;
  /** The time `onSweep` is told. */
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
  const circles = new Circles<Peer<Data>>();
  const company: Company<Data> = {
    handlers,
    limits,
    addresses,
    circles,
    farewells: new Deadlines(limits.closeGraceMs, (peer) => peer.cut()),
    readers: new FrameReaders({
      maxPayloadBytes: limits.maxPayloadBytes,
      maxSkippedBytes: handlers.onRefused === undefined ? limits.maxPayloadBytes : limits.maxSkippedBytes,
    }),
    onLeft() {
      if (circles.size === 0) allLeft?.();
    },
  };
  circles.goRound(limits.heartbeatMs, (peer) => peer.heartbeat());
  if (handlers.onSweep) circles.goRound(limits.sweepMs, (peer) => peer.sweep(now()));
  let closing: Promise<void> | undefined;
  let allLeft: (() => void) | undefined;

  function admit(request: IncomingMessage): Admission<Data> {
    const [path = "/"] = (request.url ?? "/").split("?", 1);
    if (!paths.has(path)) throw new Problem("not-found");
    const handshake = readHandshake(request);
    if (closing) throw new Problem("not-ready");
    if (circles.size >= limits.maxConnections) throw new Problem("not-ready", { detail: "No more connections here." });
    const address = addressOf(request);
    if (addresses.countOf(address) >= limits.maxPerAddress && countsForAddress(address)) {
      throw new Problem("too-many-requests", { detail: `At most ${limits.maxPerAddress} connections an address.` });
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
    const peer = new Peer(company, socket, admission.address, admission.data);
    listen(socket, peer);
    socket.write(admission.answer, "latin1");
    if (head.length > 0) peer.receive(head);
  }

  function closeAll(code: number, reason: string): Promise<void> {
    if (circles.size === 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    allLeft = resolve;
    for (const peer of circles.members()) peer.close(code, reason);
    return promise;
  }

  return {
    attach(httpServer, taken, { unless } = {}) {
      for (const path of taken) paths.add(path);
      httpServer.on("upgrade", (request, socket, head) => {
        if (!unless?.(request)) onUpgrade(request, socket, head);
      });
    },
    connections: () => circles.size,
    close(code = CLOSE.goingAway, reason = "going away") {
      closing ??= closeAll(code, reason);
      return closing;
    },
  };
}

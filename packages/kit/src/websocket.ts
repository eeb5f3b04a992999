import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, WebSocket, WebSocketServer } from "ws";
import { endWithProblem } from "./http/socket-problem.ts";
import { Problem } from "./problems.ts";

export type SocketLimits = {
  maxPayloadBytes: number;
  /** A ping this often; a peer that answered none of `missedPings` in a row is gone. */
  heartbeatMs: number;
  missedPings: number;
  /** A peer that leaves more than this unread is cut off. */
  maxUnsentBytes: number;
  maxConnections: number;
  maxPerAddress: number;
  /** On closing, how long peers have to say goodbye. */
  closeGraceMs: number;
};

const SOCKET_LIMITS: SocketLimits = {
  maxPayloadBytes: 8 * 1024,
  heartbeatMs: 25_000,
  missedPings: 2,
  maxUnsentBytes: 64 * 1024,
  maxConnections: 19_000,
  maxPerAddress: 100,
  closeGraceMs: 2_000,
};

const CLOSE_GOING_AWAY = 1001;
const CLOSE_TEXT_ONLY = 1003;
const CLOSE_OUR_FAULT = 1011;

/** One connected peer. `data` is the area's own, made when the connection is accepted. */
export type Connection<Data> = {
  readonly data: Data;
  readonly address: string;
  /** Sends one text frame. False when the peer is gone or was cut off because it does not read. */
  send(text: string): boolean;
  close(code: number, reason: string): void;
};

export type SocketHandlers<Data> = {
  /** Makes the connection's data, or throws a Problem to refuse the upgrade. */
  accept(request: IncomingMessage, address: string): Data;
  onMessage(connection: Connection<Data>, text: string): void;
  onClose(connection: Connection<Data>): void;
  /** Hears what a handler threw. That connection is closed; the process and all others go on. */
  onFault(error: unknown): void;
};

export type SocketServer = {
  /** Takes over upgrade requests for these paths; any other path is refused with 404. */
  attach(server: Server, paths: readonly string[]): void;
  connections(): number;
  close(): Promise<void>;
};

export type SocketServerOptions = {
  limits?: Partial<SocketLimits>;
  /** Whom a request counts for. Behind a trusted proxy that is not the socket's own peer. */
  addressOf?: (request: IncomingMessage) => string;
};

/**
 * WebSockets over `ws`, without deflate and without a closure or timer per connection: one heartbeat serves all.
 * The rest of the code sees only Connection, so another transport can stand in its place.
 */
export function createSocketServer<Data>(
  handlers: SocketHandlers<Data>,
  { limits: overrides, addressOf = (request) => request.socket.remoteAddress ?? "" }: SocketServerOptions = {},
): SocketServer {
  const limits = { ...SOCKET_LIMITS, ...overrides };
  const open = new Set<Peer>();
  const perAddress = new Map<string, number>();
  const paths = new Set<string>();
  let closing: Promise<void> | undefined;
  let allClosed: (() => void) | undefined;

  /** ws hands out instances of this class, so a connection costs one object. */
  class Peer extends WebSocket implements Connection<Data> {
    declare data: Data;
    declare address: string;
    missed = 0;

    // ws has overloads for buffers and callbacks; callers here send text.
    override send(text: unknown): boolean {
      if (this.readyState !== WebSocket.OPEN) return false;
      super.send(text as string);
      if (this.bufferedAmount <= limits.maxUnsentBytes) return true;
      this.terminate();
      return false;
    }
  }

  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.maxPayloadBytes,
    WebSocket: Peer,
  });

  function onMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
    const peer = this as Peer;
    peer.missed = 0;
    try {
      if (isBinary) peer.close(CLOSE_TEXT_ONLY, "text frames only");
      else handlers.onMessage(peer, data.toString());
    } catch (error) {
      handlers.onFault(error);
      peer.close(CLOSE_OUR_FAULT, "internal error");
    }
  }
  function onPong(this: WebSocket): void {
    (this as Peer).missed = 0;
  }
  function onClose(this: WebSocket): void {
    const peer = this as Peer;
    open.delete(peer);
    const others = (perAddress.get(peer.address) ?? 1) - 1;
    if (others > 0) perAddress.set(peer.address, others);
    else perAddress.delete(peer.address);
    handlers.onClose(peer);
    if (open.size === 0) allClosed?.();
  }
  // ws reports broken frames here and then closes by itself; without a listener it would throw.
  function onError(): void {}

  const heartbeat = setInterval(() => {
    for (const peer of open) {
      if (peer.missed >= limits.missedPings) peer.terminate();
      else {
        peer.missed += 1;
        peer.ping();
      }
    }
  }, limits.heartbeatMs).unref();

  function admit(request: IncomingMessage, address: string): Data {
    const [path = "/"] = (request.url ?? "/").split("?", 1);
    if (!paths.has(path)) throw new Problem("not-found");
    if (closing) throw new Problem("not-ready");
    if (open.size >= limits.maxConnections) throw new Problem("not-ready", { detail: "No more connections here." });
    if ((perAddress.get(address) ?? 0) >= limits.maxPerAddress) {
      throw new Problem("too-many-requests", { detail: `At most ${limits.maxPerAddress} connections an address.` });
    }
    return handlers.accept(request, address);
  }

  function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const address = addressOf(request);
    let data: Data;
    try {
      data = admit(request, address);
    } catch (fault) {
      endWithProblem(socket, fault instanceof Problem ? fault : new Problem("internal-error", { cause: fault }));
      return;
    }
    server.handleUpgrade(request, socket, head, (peer) => {
      peer.data = data;
      peer.address = address;
      open.add(peer);
      perAddress.set(address, (perAddress.get(address) ?? 0) + 1);
      peer.on("message", onMessage).on("pong", onPong).on("close", onClose).on("error", onError);
    });
  }

  function closeAll(): Promise<void> {
    clearInterval(heartbeat);
    if (open.size === 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    allClosed = resolve;
    for (const peer of open) peer.close(CLOSE_GOING_AWAY, "going away");
    const deadline = setTimeout(() => {
      for (const peer of open) peer.terminate();
    }, limits.closeGraceMs);
    return promise.finally(() => clearTimeout(deadline));
  }

  return {
    attach(httpServer, taken) {
      for (const path of taken) paths.add(path);
      httpServer.on("upgrade", onUpgrade);
    },
    connections: () => open.size,
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import proxyAddress from "@fastify/proxy-addr";
import { isLoopback } from "../settings.ts";
import type { HttpLimits } from "./limits.ts";

const UNANSWERED = Symbol("unanswered");
type Counted = Socket & { [UNANSWERED]?: number };

export type RequestsInFlight = {
  /** Resolves when no request, or none that counts, is being answered, or when the time is up. */
  none(withinMs: number, counts?: (request: IncomingMessage) => boolean): Promise<void>;
};

type Bounds = Pick<HttpLimits, "maxConnections" | "maxConnectionsPerAddress" | "maxUnanswered">;

/** Limits the open connections per client and in total, and counts the requests that are being answered. */
export function boundConnections(server: Server, trustProxy: readonly string[], limits: Bounds): RequestsInFlight {
  server.maxConnections = limits.maxConnections;
  boundAddresses(server, trustProxy, limits.maxConnectionsPerAddress);
  return countRequests(server, limits.maxUnanswered);
}

/** This machine and trusted proxies are not limited: they may forward requests of many clients. */
function boundAddresses(server: Server, trustProxy: readonly string[], maxPerAddress: number): void {
  const isProxy = proxyAddress.compile([...trustProxy]);
  const open = new Map<string, number>();
  server.on("connection", (socket) => {
    const address = socket.remoteAddress ?? "";
    if (isLoopback(address.replace(/^::ffff:/, "")) || isProxy(address, 0)) return;
    const count = (open.get(address) ?? 0) + 1;
    if (count > maxPerAddress) {
      socket.destroy();
      return;
    }
    open.set(address, count);
    socket.once("close", () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  });
}

/** Node keeps any number of pipelined requests in memory: a client that sends too many is cut off. */
function countRequests(server: Server, maxUnanswered: number): RequestsInFlight {
  const open = new Set<ServerResponse>();
  let onAnswered = () => {};
  function onClose(this: ServerResponse): void {
    const socket: Counted = this.req.socket;
    socket[UNANSWERED] = (socket[UNANSWERED] ?? 1) - 1;
    open.delete(this);
    onAnswered();
  }
  // Must run before the request is answered: `serverWithAnswerFirst` ignores requests whose connection was cut off here.
  server.prependListener("request", (request, response) => {
    const socket: Counted = request.socket;
    const unanswered = (socket[UNANSWERED] ?? 0) + 1;
    socket[UNANSWERED] = unanswered;
    open.add(response);
    response.on("close", onClose);
    if (unanswered > maxUnanswered) socket.destroy();
  });
  return {
    none(withinMs, counts = () => true) {
      const isDone = () => !open.values().some(({ req }) => counts(req));
      if (isDone()) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      onAnswered = () => {
        if (isDone()) resolve();
      };
      const timer = setTimeout(resolve, withinMs);
      return promise.finally(() => clearTimeout(timer));
    },
  };
}

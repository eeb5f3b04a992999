import type { Server } from "node:http";
import proxyAddress from "@fastify/proxy-addr";
import { isLoopback } from "../settings.ts";
import { callerKey } from "./caller-address.ts";
import type { HttpLimits } from "./limits.ts";

/** This machine and trusted proxies may forward requests of many clients: what counts per address does not count for them. */
export function sharedAddresses(trustProxy: readonly string[]): (address: string) => boolean {
  const isProxy = proxyAddress.compile([...trustProxy]);
  return (address) => isLoopback(address.replace(/^::ffff:/, "")) || isProxy(address, 0);
}

type Bounds = Pick<HttpLimits, "maxConnections" | "maxConnectionsPerAddress">;

/** Limits the open connections per client and in total. */
export function boundConnections(server: Server, isShared: (address: string) => boolean, limits: Bounds): void {
  server.maxConnections = limits.maxConnections;
  const open = new Map<string, number>();
  server.on("connection", (socket) => {
    const { remoteAddress = "" } = socket;
    if (isShared(remoteAddress)) return;
    const caller = callerKey(remoteAddress);
    const count = (open.get(caller) ?? 0) + 1;
    if (count > limits.maxConnectionsPerAddress) {
      socket.destroy();
      return;
    }
    open.set(caller, count);
    socket.once("close", () => {
      const left = (open.get(caller) ?? 1) - 1;
      if (left > 0) open.set(caller, left);
      else open.delete(caller);
    });
  });
}

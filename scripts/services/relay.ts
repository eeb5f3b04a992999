import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { freePort } from "./free-port.ts";
import type { Service } from "./service.ts";

/**
 * A server that was given by address is not ours to stop. A relay before it can be: to a client, a relay that closes
 * is a server that went away.
 */
export async function startRelay(givenUrl: string, defaultPort: number, wantedPort?: number): Promise<Service> {
  const given = new URL(givenUrl);
  const target = {
    host: given.hostname.replace(/^\[|\]$/g, "") || "127.0.0.1",
    port: Number(given.port) || defaultPort,
  };
  const port = wantedPort ?? (await freePort());
  const url = new URL(givenUrl);
  url.hostname = "127.0.0.1";
  url.port = String(port);
  const sockets = new Set<Socket>();
  let server: Server | undefined;

  const service: Service = {
    url: url.href,
    port,
    async start() {
      if (server?.listening === true) return;
      server = createServer((client) => join(client, connect(target), sockets)).listen(port, "127.0.0.1");
      await once(server, "listening");
      server.unref();
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      if (server?.listening !== true) return;
      server.close();
      await once(server, "close");
    },
    kill: () => service.stop(),
    [Symbol.asyncDispose]: () => service.stop(),
  };
  await service.start();
  return service;
}

function join(client: Socket, upstream: Socket, sockets: Set<Socket>): void {
  for (const [one, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    sockets.add(one);
    one.on("error", () => {});
    one.on("close", () => {
      sockets.delete(one);
      other.destroy();
    });
    one.pipe(other);
  }
}

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * A relay in front of a server that can go silent without closing anything, as a broken network does. What is sent
 * meanwhile arrives when the network is back, unless its connection was given up.
 */
export interface StallingRelay extends AsyncDisposable {
  readonly url: string;
  stall(): void;
  resume(): void;
}

export async function startStallingRelay(targetUrl: string): Promise<StallingRelay> {
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  let held: (() => void)[] | undefined;

  function carry(from: Socket, to: Socket): void {
    sockets.add(from);
    from.on("data", (chunk) => {
      if (held) held.push(() => to.write(chunk));
      else to.write(chunk);
    });
    from.on("error", () => {});
    from.on("close", () => {
      sockets.delete(from);
      to.destroy();
    });
  }

  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 6379), target.hostname);
    carry(client, upstream);
    carry(upstream, client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(targetUrl);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);

  return {
    url: url.href,
    stall() {
      held ??= [];
    },
    resume() {
      for (const send of held ?? []) send();
      held = undefined;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

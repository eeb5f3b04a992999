import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Round robin: passes each connection to the next port that accepts it. */
export async function startLoadBalancer(ports: readonly number[]) {
  const open = new Set<Socket>();
  let turn = 0;
  let isCut = false;
  const server = createServer((client) => {
    open.add(client);
    client.on("error", () => {}).once("close", () => open.delete(client));
    turn += 1;
    offer(client, isCut ? 0 : ports.length, turn);
  });

  function offer(client: Socket, tries: number, at: number): void {
    if (tries === 0 || client.destroyed) {
      client.destroy();
      return;
    }
    const upstream = connect(ports[at % ports.length] as number, "127.0.0.1");
    let isConnected = false;
    upstream.once("connect", () => {
      isConnected = true;
      client.pipe(upstream).pipe(client);
    });
    upstream.once("error", () => {
      // Not a reset: Node 24 would then spin when the process ends.
      if (isConnected) client.destroy();
      else offer(client, tries - 1, at + 1);
    });
    upstream.once("close", () => isConnected && client.destroy());
    client.once("close", () => upstream.destroy());
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** As when somebody leaves the reach of the network: until it is mended, nothing gets through. */
    cut() {
      isCut = true;
      for (const socket of open) socket.destroy();
    },
    mend() {
      isCut = false;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

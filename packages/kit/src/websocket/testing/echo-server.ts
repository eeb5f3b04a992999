import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { WebSocket } from "ws";
import { Problem } from "../../problems.ts";
import { type Connection, createSocketServer, type SocketHandlers, type SocketServerOptions } from "../index.ts";

/** Clients in tests often leave without closing. */
const SHORT_GRACE_MS = 50;

type Named = { name: string };
type Seen = { faults: unknown[]; messages: string[]; closed: number; connections: Connection<Named>[] };

export type EchoOptions = SocketServerOptions & Pick<SocketHandlers<Named>, "onRefused" | "onSweep">;

/** For tests: an area that echoes what it receives, under the name in the header `x-name`. */
export async function serveEcho(t: TestContext, { onRefused, onSweep, ...options }: EchoOptions = {}) {
  const seen: Seen = { faults: [], messages: [], closed: 0, connections: [] };
  const sockets = createSocketServer<Named>(
    {
      accept: (request) => {
        if (request.headers.origin === "https://evil.example") throw new Problem("not-found");
        if (request.headers.origin === "https://broken.example") throw new Error("accept failed");
        return { name: String(request.headers["x-name"] ?? "anonymous") };
      },
      onMessage: (connection, text) => {
        seen.connections.push(connection);
        seen.messages.push(text);
        if (text === "throw") throw new Error("no such luck");
        if (text === "close") connection.close(4_000, "as you say");
        connection.send(`${connection.data.name} said ${text}`);
      },
      onClose: () => {
        seen.closed += 1;
      },
      onFault: (error) => seen.faults.push(error),
      ...(onRefused && { onRefused }),
      ...(onSweep && { onSweep }),
    },
    { ...options, limits: { closeGraceMs: SHORT_GRACE_MS, ...options.limits } },
  );
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  sockets.attach(server, ["/", "/ws"]);
  t.after(async () => {
    await sockets.close();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const dial = (path = "/", headers = {}) => new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers });
  return { seen, sockets, port, dial };
}

/** The HTTP status with which an upgrade was refused. */
export async function refusalOf(socket: WebSocket): Promise<number | undefined> {
  socket.on("error", () => {});
  const [, response] = await once(socket, "unexpected-response");
  return response.statusCode;
}

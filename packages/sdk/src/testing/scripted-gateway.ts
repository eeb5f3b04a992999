import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

/** One connection to the scripted gateway, as the test sees it. */
export type ScriptedConnection = {
  /** The next message of the client. */
  hear(): Promise<Record<string, unknown>>;
  say(message: unknown): void;
  /** Sends the data unchanged, well-formed or not. */
  sayRaw(data: string | Buffer): void;
  /** Cuts the connection without a close frame. */
  cut(): void;
  socket: WebSocket;
  /** The client's close code, once it has closed. */
  closed: Promise<number>;
};

export type ScriptedGateway = AsyncDisposable & {
  url: string;
  /** The next connection that was made. */
  connection(): Promise<ScriptedConnection>;
  /** Takes the next connection and its registration, and accepts it. */
  registered(): Promise<{ connection: ScriptedConnection; register: Record<string, unknown>; state: string }>;
};

/** A fake gateway, for faults that a real one cannot be made to show: the test scripts every message. */
export async function startScriptedGateway(): Promise<ScriptedGateway> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const connections = createQueue<ScriptedConnection>();
  server.on("connection", (socket) => connections.put(scripted(socket)));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    connection: connections.take,
    async registered() {
      const connection = await connections.take();
      const register = await connection.hear();
      const state = String(register.state);
      connection.say({ type: "registered", state });
      return { connection, register, state };
    },
    async [Symbol.asyncDispose]() {
      for (const socket of server.clients) socket.terminate();
      server.close();
      await once(server, "close");
    },
  };
}

function scripted(socket: WebSocket): ScriptedConnection {
  const heard = createQueue<Record<string, unknown>>();
  socket.on("message", (data) => heard.put(JSON.parse(String(data)) as Record<string, unknown>));
  socket.on("error", () => {});
  return {
    hear: heard.take,
    say: (message) => socket.send(JSON.stringify(message)),
    sayRaw: (data) => socket.send(data),
    cut: () => socket.terminate(),
    socket,
    closed: new Promise((resolve) => socket.once("close", resolve)),
  };
}

function createQueue<T>() {
  const items: T[] = [];
  const takers: ((item: T) => void)[] = [];
  return {
    put(item: T): void {
      const taker = takers.shift();
      if (taker === undefined) items.push(item);
      else taker(item);
    },
    take: (): Promise<T> => {
      const item = items.shift();
      return item === undefined ? new Promise((resolve) => takers.push(resolve)) : Promise.resolve(item);
    },
  };
}

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { BenchFault } from "../harness/fault.ts";
import { openAtOnce } from "./limits.ts";

export type HeldStreams = {
  /** Streams that are still open. */
  open(): number;
  [Symbol.dispose](): void;
};

type StreamOptions = {
  port: number;
  paths: readonly string[];
  /** Called with what arrives on a stream after its headers. */
  onText?: (index: number, text: string) => void;
};

/** Opens an event stream at each path, each on its own connection, and holds them. */
export async function holdStreams({ port, paths, onText = () => {} }: StreamOptions): Promise<HeldStreams> {
  const sockets = new Set<Socket>();
  const waiting = paths.map((path, index) => ({ path, index })).reverse();

  async function openNext(): Promise<void> {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { path, index } = next;
      const socket = connect({ port, host: "127.0.0.1", noDelay: true });
      socket.setEncoding("latin1").on("error", () => {});
      await once(socket, "connect");
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: text/event-stream\r\n\r\n`);
      const [head] = (await once(socket, "data")) as [string];
      if (!head.startsWith("HTTP/1.1 200 ")) throw new BenchFault(`GET ${path} was answered: ${head.slice(0, 200)}`);
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket)).on("data", (text: string) => onText(index, text));
    }
  }
  await Promise.all(Array.from({ length: openAtOnce }, openNext));
  return {
    open: () => sockets.size,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

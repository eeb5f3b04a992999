import { isBrowser } from "../request.ts";

/** One WebSocket, reduced to what the flow needs, so that a browser's and ours for Node look the same. */
export type Socket = {
  /** Only after `onOpen`. */
  send(text: string): void;
  /** Closes it, whatever state it is in. What was sent before still goes out. */
  close(): void;
};

export type SocketHandlers = {
  onOpen(): void;
  onText(text: string): void;
  /** Exactly once, however it ended, also if it never opened. */
  onClose(): void;
};

export type OpenSocket = (url: string, handlers: SocketHandlers) => Socket;

/** A browser's own, or ours in Node: ADR 15 says why. */
export async function findSocket(): Promise<OpenSocket> {
  if (isBrowser()) return openBrowserSocket;
  const { openNodeSocket } = await import("./node-socket.ts");
  return openNodeSocket;
}

const CLOSE_NORMAL = 1000;

function openBrowserSocket(url: string, handlers: SocketHandlers): Socket {
  const socket = new WebSocket(url);
  socket.onopen = () => handlers.onOpen();
  socket.onmessage = ({ data }) => {
    if (typeof data === "string") handlers.onText(data);
  };
  socket.onclose = () => handlers.onClose();
  return {
    send: (text) => socket.send(text),
    close: () => socket.close(CLOSE_NORMAL),
  };
}

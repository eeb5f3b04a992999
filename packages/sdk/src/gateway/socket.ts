import { isBrowser } from "../request.ts";
import type { Socket, SocketHandlers } from "./node-socket.ts";

export type OpenSocket = (url: string, handlers: SocketHandlers) => Socket;

/** In a browser its own WebSocket, in Node ours: ADR 15 says why. */
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

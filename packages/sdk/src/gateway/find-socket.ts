import type { OpenSocket, Socket, SocketHandlers } from "./socket.ts";

const CLOSE_NORMAL = 1000;

/**
 * A browser's own, or ours in Node. Node 22 and later have one too, but one that cannot be ended while its peer is
 * silent: it would keep a program running after the flow has timed out.
 */
export async function findSocket(): Promise<OpenSocket> {
  const isBrowser = "document" in globalThis || "WorkerGlobalScope" in globalThis;
  if (isBrowser) return openNativeSocket;
  const { openNodeSocket } = await import("../node-socket/node-socket.ts");
  return openNodeSocket;
}

function openNativeSocket(url: string, handlers: SocketHandlers): Socket {
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

import type { Socket } from "node:net";

/** Who hears a socket. */
export type SocketEars = {
  receive(chunk: Buffer): void;
  /** The socket is closed; the last call. */
  gone(): void;
};

const EARS = Symbol("ears");
type HeardSocket = Socket & { [EARS]: SocketEars };

function onData(this: HeardSocket, chunk: Buffer): void {
  this[EARS].receive(chunk);
}
function onClose(this: HeardSocket): void {
  this[EARS].gone();
}
// The socket then closes by itself, and that is heard; without a listener it would throw.
function onError(): void {}

/** Connects a socket with who hears it, by functions that all sockets share. */
export function listen(socket: Socket, ears: SocketEars): void {
  (socket as HeardSocket)[EARS] = ears;
  // node:http keeps its sockets open for writing when the peer is done; a WebSocket is over then.
  socket.allowHalfOpen = false;
  socket.on("error", onError).on("close", onClose).on("data", onData);
}

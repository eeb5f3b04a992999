import type { ServerResponse } from "node:http";
import { Socket } from "node:net";

/** What node:http listens to on a connection. */
const LISTENERS: ReadonlySet<string> = new Set([
  "bound socketOnData",
  "bound socketOnEnd",
  "bound socketOnDrain",
  "socketOnError",
  "socketOnTimeout",
  "onSocketPause",
  "onSocketResume",
]);
/** And this: it gives the parser back, and drops requests that are not answered, with the connection. */
const END = "bound socketOnClose";

/**
 * Takes the connection from an answer whose head is written in this turn of the event loop and whose body lasts until the
 * connection ends. From now on, the caller writes to the socket; whoever sends anything else on it is cut off.
 *
 * Node would keep the request, the answer and a parser for the next request, ten times as much memory as the connection. It
 * takes them from a connection only when that is upgraded. This does the same, which needs the names of Node's listeners.
 */
export function takeSocket(response: ServerResponse): Socket {
  const { socket } = response;
  if (!socket || !endOf(socket)) throw new Error("This version of node:http has another way to end a connection.");
  response.shouldKeepAlive = false;
  // Not that of a connection with a body, which waits for the end of it (bodies.ts): nobody reads it from now on.
  socket.destroySoon = Socket.prototype.destroySoon;
  // Not at once: we may have been called by the parser, in the middle of what it reads.
  process.nextTick(release, response, socket);
  return socket;
}

const endOf = (socket: Socket) => socket.listeners("close").find(({ name }) => name === END);

function release(response: ServerResponse, socket: Socket): void {
  // Node lets go of everything by itself.
  if (socket.destroyed) return;
  const { destroySoon } = socket;
  // Node would close the connection after its last answer.
  socket.destroySoon = ignore;
  response.emit("finish");
  socket.destroySoon = destroySoon;
  const end = endOf(socket);
  end?.call(socket);
  for (const event of socket.eventNames()) {
    for (const listener of socket.listeners(event)) {
      if (listener === end || LISTENERS.has(listener.name)) socket.off(event, listener as () => void);
    }
  }
  // Node's own, of each connection, take it from the parser once somebody listens.
  const { on, prependListener, setEncoding } = Socket.prototype;
  Object.assign(socket, { on, addListener: on, prependListener, setEncoding });
  // Without Node's listener, a client that has sent its last byte would not end its stream.
  socket.allowHalfOpen = false;
  socket.on("error", ignore).on("data", cutOff).resume();
}

const ignore = (): void => {};

function cutOff(this: Socket): void {
  this.destroy();
}

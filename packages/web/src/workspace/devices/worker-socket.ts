import type { DevicesHubMessage } from "@backplane/contract/devices";
import type { Socket, SocketEvents } from "../live/environment.ts";
import { type Packed, unpack } from "./packed.ts";

export type ToSocket = { url: string } | { text: string } | "close";
export type FromSocket = "open" | "close" | DevicesHubMessage | ({ type: "packed"; nowMs: number } & Packed);

/**
 * A socket in a thread of its own. A message to a page costs its main thread much more than what is in it, and a message of a
 * socket twice as much as one of a worker; so reading and taking apart happens there, and values arrive in one piece.
 */
export function openWorkerSocket(url: string, events: SocketEvents): Socket {
  const worker = new Worker(new URL("./socket-worker.ts", import.meta.url), { type: "module" });
  const say = (message: ToSocket) => worker.postMessage(message);
  worker.onmessage = ({ data }: MessageEvent<FromSocket>) => {
    if (data === "open") events.onOpen();
    else if (data === "close") events.onClose();
    else if (data.type !== "packed") events.onMessage(data);
    else events.onMessage({ type: "values", nowMs: data.nowMs, batches: unpack(data) });
  };
  // Its script did not come: the same as a socket that did not open.
  worker.onerror = () => events.onClose();
  say({ url });
  return { send: (text) => say({ text }), close: () => say("close") };
}

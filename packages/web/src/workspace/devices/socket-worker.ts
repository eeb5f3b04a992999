// The socket to the hub, in a thread of its own, so that the page has less to do.
import type { DevicesHubMessage } from "@backplane/contract/devices";
import { pack } from "./packed.ts";
import type { FromSocket, ToSocket } from "./worker-socket.ts";

const tell = (message: FromSocket, moved: Transferable[] = []) => self.postMessage(message, { transfer: moved });

let socket: WebSocket | undefined;

function open(url: string): void {
  socket = new WebSocket(url);
  socket.onopen = () => tell("open");
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as DevicesHubMessage;
    if (message.type !== "values") return tell(message);
    const packed = pack(message.batches);
    tell({ type: "packed", nowMs: message.nowMs, ...packed }, [packed.numbers.buffer]);
  };
  socket.onclose = () => {
    tell("close");
    self.close();
  };
}

self.onmessage = ({ data }: MessageEvent<ToSocket>) => {
  if (data === "close") socket?.close();
  else if ("url" in data) open(data.url);
  else socket?.send(data.text);
};

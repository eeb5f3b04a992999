import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import { DEVICES_SOCKET_PATH, type DevicesHubMessage, type DevicesPageMessage } from "@backplane/contract/devices";
import { clientFrame, FrameReader, OPCODE } from "../gateway/load/frames.ts";
import { BenchFault } from "../harness/fault.ts";
import type { Workbench } from "./stage.ts";

type Asked = DevicesPageMessage extends infer Message
  ? Message extends { id: number }
    ? Omit<Message, "id">
    : never
  : never;

/** A page without a browser. Like the MQTT clients beside it, it costs next to nothing. */
export async function openPage({ server, call }: Workbench, device: string) {
  const { ticket } = await call<{ ticket: string }>("POST", "/ticket", {});
  const socket = connectTcp({ port: server.port, host: "127.0.0.1", noDelay: true });
  const waiting = new Map<number, () => void>();
  const ready = Promise.withResolvers<void>();
  let next = 1;

  function take(opcode: number, payload: Buffer): void {
    if (opcode === OPCODE.ping) socket.write(clientFrame(OPCODE.pong, payload));
    if (opcode !== OPCODE.text) return;
    const message = JSON.parse(String(payload)) as DevicesHubMessage;
    if (message.type === "ack" && message.stage === "reached") {
      waiting.get(message.id)?.();
      waiting.delete(message.id);
    }
    const devices = message.type === "welcome" ? message.devices : message.type === "devices" ? message.changed : [];
    if (devices.some(({ id, state }) => id === device && state === "ready")) ready.resolve();
  }
  const say = (message: DevicesPageMessage) =>
    void socket.write(clientFrame(OPCODE.text, Buffer.from(JSON.stringify(message))));

  const reader = new FrameReader();
  const headers = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
  const key = `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`;
  socket.write([`GET ${DEVICES_SOCKET_PATH} HTTP/1.1`, "Host: localhost", ...headers, key, "\r\n"].join("\r\n"));
  const [answer] = (await once(socket, "data")) as [Buffer];
  if (!answer.toString().startsWith("HTTP/1.1 101 ")) throw new BenchFault(`No socket: ${answer}`);
  socket.on("data", (chunk: Buffer) => reader.read(chunk, take));
  say({ type: "hello", ticket });

  return {
    ready: ready.promise,
    ask(asked: Asked): Promise<void> {
      const id = next;
      next += 1;
      const answered = new Promise<void>((resolve) => waiting.set(id, resolve));
      say({ ...asked, id } as DevicesPageMessage);
      return answered;
    },
    async [Symbol.asyncDispose]() {
      socket.destroy();
    },
  };
}

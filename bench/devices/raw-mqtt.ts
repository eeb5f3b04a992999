import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { BenchFault } from "../harness/fault.ts";

// MQTT 3.1.1, as little of it as a bench needs, so that clients cost next to nothing beside the brokers.
const CONNACK = 0x20;
const PUBLISH = 0x30;
const SUBACK = 0x90;
const TYPE = 0xf0;
const KEEP_ALIVE_S = 0;

const text = (value: string): Buffer => {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
};

function packet(head: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length: number[] = [];
  for (let left = body.length; ; left >>= 7) {
    length.push((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
    if (left <= 0x7f) break;
  }
  return Buffer.concat([Buffer.from([head, ...length]), body]);
}

export const publishPacket = (topic: string, payload: string, isRetained = false): Buffer =>
  packet(PUBLISH | (isRetained ? 1 : 0), text(topic), Buffer.from(payload));

export type RawClient = AsyncDisposable & {
  readonly socket: Socket;
  subscribe(filter: string): Promise<void>;
  publish(topic: string, payload: string, isRetained?: boolean): void;
  /** One at a time. */
  onMessage: (topic: string, payload: string) => void;
  /** Messages that have come. */
  readonly received: number;
};

/** `password`: a device key. */
export async function connectRaw(port: number, clientId: string, password?: string): Promise<RawClient> {
  const socket = connectTcp({ port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  const waiting = new Map<number, () => void>();
  let rest: Buffer = Buffer.alloc(0);
  let received = 0;
  const client: RawClient = {
    socket,
    onMessage: () => {},
    get received() {
      return received;
    },
    async subscribe(filter) {
      const answered = new Promise<void>((resolve) => waiting.set(SUBACK, resolve));
      socket.write(packet(0x82, Buffer.from([0, 1]), text(filter), Buffer.from([0])));
      await answered;
    },
    publish: (topic, payload, isRetained) => void socket.write(publishPacket(topic, payload, isRetained)),
    async [Symbol.asyncDispose]() {
      socket.destroy();
    },
  };
  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (;;) {
      const frame = frameAt(rest, at);
      if (!frame) break;
      at = frame.end;
      const type = frame.head & TYPE;
      if (type === PUBLISH) {
        received += 1;
        const topicEnd = frame.start + 2 + rest.readUInt16BE(frame.start);
        client.onMessage(rest.toString("utf8", frame.start + 2, topicEnd), rest.toString("utf8", topicEnd, frame.end));
      } else waiting.get(type)?.();
    }
    rest = rest.subarray(at);
  });
  const accepted = new Promise<void>((resolve) => waiting.set(CONNACK, resolve));
  const closed = once(socket, "close").then(() => Promise.reject(new BenchFault(`${clientId} was refused.`)));
  closed.catch(() => {});
  const flags = password === undefined ? 0x02 : 0xc2;
  const secret = password === undefined ? [] : [text("bench"), text(password)];
  socket.write(packet(0x10, text("MQTT"), Buffer.from([4, flags, 0, KEEP_ALIVE_S]), text(clientId), ...secret));
  await Promise.race([accepted, closed]);
  return client;
}

function frameAt(bytes: Buffer, at: number): { head: number; start: number; end: number } | undefined {
  let length = 0;
  for (let place = 0; place < 4; place += 1) {
    const byte = bytes[at + 1 + place];
    if (byte === undefined) return undefined;
    length |= (byte & 0x7f) << (7 * place);
    if (byte < 0x80) {
      const start = at + 2 + place;
      return start + length > bytes.length ? undefined : { head: bytes[at] as number, start, end: start + length };
    }
  }
  throw new BenchFault("A broker sent something that is not MQTT.");
}

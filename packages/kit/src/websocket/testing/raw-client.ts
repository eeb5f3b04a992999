import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { OPCODE } from "./client-frames.ts";

export type ServerFrame = { opcode: number; payload: Buffer };

/** For tests: a client that does exactly what the test says, right or wrong. */
export type RawClient = {
  readonly socket: Socket;
  /** What the server has sent so far, after its handshake. */
  frames(): ServerFrame[];
  /** The code of the server's close frame, once there is one. */
  closeCode(): number | undefined;
  /** The server has ended its side; this side stays as it is. */
  readonly ended: Promise<void>;
};

const HANDSHAKE = {
  Host: "x",
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
} as const;

export type RawRequest = { line?: string; headers?: Readonly<Record<string, string | undefined>> };

/** A header that is undefined is left out. */
export function encodeRequest({ line = "GET / HTTP/1.1", headers = {} }: RawRequest = {}): string {
  const all = Object.entries({ ...HANDSHAKE, ...headers }).filter(([, value]) => value !== undefined);
  return `${line}\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}

/** Connects and upgrades; `first` goes out in the same packet as the handshake. */
export async function connectRaw(port: number, first: Buffer = Buffer.alloc(0)): Promise<RawClient> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
  socket.on("error", () => {});
  const ended = new Promise<void>((resolve) => socket.once("end", resolve).once("close", () => resolve()));
  socket.write(Buffer.concat([Buffer.from(encodeRequest()), first]));
  let received = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
  });
  while (!received.includes("\r\n\r\n")) await once(socket, "data");
  const frames = () => decodeFrames(received.subarray(received.indexOf("\r\n\r\n") + 4));
  return {
    socket,
    frames,
    ended,
    closeCode() {
      const frame = frames().find(({ opcode }) => opcode === OPCODE.close);
      return frame && (frame.payload.length === 0 ? 1005 : frame.payload.readUInt16BE(0));
    },
  };
}

function decodeFrames(bytes: Buffer): ServerFrame[] {
  const frames: ServerFrame[] = [];
  let at = 0;
  while (at + 2 <= bytes.length) {
    const short = bytes[at + 1] as number;
    const start = at + (short < 126 ? 2 : 4);
    const end = start + (short < 126 ? short : bytes.readUInt16BE(at + 2));
    if (end > bytes.length) break;
    frames.push({ opcode: (bytes[at] as number) & 0x0f, payload: bytes.subarray(start, end) });
    at = end;
  }
  return frames;
}

import { type Codec, createFrameReader, type Frame, MAX_WAITING_BYTES } from "../codec.ts";

/**
 * What goes over a connection to a debug server, in both directions (GDB manual, "Remote Protocol"). The data of a packet
 * has one character per byte. A break stops a chip that runs.
 */
export type GdbMessage = { type: "packet" | "notification"; data: string } | { type: "received" | "again" | "break" };

const SIGNS: Readonly<Record<number, "received" | "again" | "break">> = { 43: "received", 45: "again", 3: "break" };
const BYTES = { received: 43, again: 45, break: 3 } as const;
const [DOLLAR, PERCENT, HASH, ESCAPE, STAR] = [0x24, 0x25, 0x23, 0x7d, 0x2a];
/** "The run length is the character less 29." */
const RUN_BASE = 29;
const CHECKSUM = /^[0-9a-fA-F]{2}$/;

export const gdbMessages: Codec<GdbMessage> = {
  write(message) {
    if (!("data" in message)) return Uint8Array.of(BYTES[message.type]);
    const data = escaped(Buffer.from(message.data, "latin1"));
    const sum = checksumOf(data).toString(16).padStart(2, "0");
    return Buffer.concat([Buffer.from(message.type === "packet" ? "$" : "%"), data, Buffer.from(`#${sum}`)]);
  },
  createReader: () => createFrameReader(find),
};

function find(waiting: Buffer): Frame<GdbMessage> | undefined {
  const [first = 0] = waiting;
  const sign = SIGNS[first];
  if (sign) return { length: 1, message: { type: sign } };
  if (first !== DOLLAR && first !== PERCENT) return { length: noiseLength(waiting) };
  const end = waiting.indexOf(HASH);
  // A dollar sign is escaped in data: here the packet before it was cut off.
  const next = waiting.indexOf(DOLLAR, 1);
  if (next !== -1 && (end === -1 || next < end)) return { length: next };
  if (end === -1 || waiting.length < end + 3) return undefined;
  const raw = waiting.subarray(1, end);
  const given = waiting.toString("latin1", end + 1, end + 3);
  const isRight = CHECKSUM.test(given) && Number.parseInt(given, 16) === checksumOf(raw);
  const data = isRight ? unescaped(raw) : undefined;
  // A checksum that is none may be the beginning of something else.
  const length = CHECKSUM.test(given) ? end + 3 : end + 1;
  if (data === undefined) return { length };
  return { length, message: { type: first === DOLLAR ? "packet" : "notification", data } };
}

const isBeginning = (byte: number): boolean => byte === DOLLAR || byte === PERCENT || SIGNS[byte] !== undefined;

/** How many bytes are not the beginning of anything. */
function noiseLength(bytes: Buffer): number {
  const next = bytes.findIndex(isBeginning);
  return next === -1 ? bytes.length : next;
}

const checksumOf = (bytes: Uint8Array): number => bytes.reduce((sum, byte) => (sum + byte) & 0xff, 0);

function escaped(bytes: Uint8Array): Buffer {
  const isSpecial = (byte: number) => byte === HASH || byte === DOLLAR || byte === ESCAPE || byte === STAR;
  return Buffer.from(Array.from(bytes).flatMap((byte) => (isSpecial(byte) ? [ESCAPE, byte ^ 0x20] : [byte])));
}

/** Undefined: it cannot be read, or would be too long. */
function unescaped(bytes: Uint8Array): string | undefined {
  const data: number[] = [];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    const next = bytes[at + 1];
    if (byte !== ESCAPE && byte !== STAR) {
      data.push(byte);
      continue;
    }
    at += 1;
    if (next === undefined) return undefined;
    if (byte === ESCAPE) data.push(next ^ 0x20);
    else {
      const [times, last] = [next - RUN_BASE, data.at(-1)];
      if (times < 3 || last === undefined || data.length + times > MAX_WAITING_BYTES) return undefined;
      for (let i = 0; i < times; i += 1) data.push(last);
    }
  }
  return Buffer.from(data).toString("latin1");
}

const HEX = /^(?:[0-9a-fA-F]{2})*$/;

/** The bytes of an answer such as `2000000a`; undefined: it is something else, such as an error. */
export const readHex = (text: string | undefined): Buffer | undefined =>
  text !== undefined && HEX.test(text) ? Buffer.from(text, "hex") : undefined;

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

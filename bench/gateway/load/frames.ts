/** RFC 6455 §11.8. */
export const OPCODE = { text: 0x1, close: 0x8, ping: 0x9, pong: 0xa } as const;

const FINAL = 0x80;
const MASKED = 0x80;
/** Lengths from here on are written in two bytes, §5.2. */
const TWO_BYTE_LENGTH = 126;
const EIGHT_BYTE_LENGTH = 127;
const MAX_TWO_BYTES = 0xffff;

/** The same for every frame, and not zero: servers skip the unmasking of a zero mask, which no real client sends. */
const MASK = Buffer.from([0x3c, 0xa5, 0x96, 0x5a]);

/** §7.4.1. */
const NORMAL_CLOSURE = 1000;

/** One whole frame of a client, masked as a client must. */
export function clientFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  if (length > MAX_TWO_BYTES) throw new Error(`A frame of ${length} bytes is too long for this load.`);
  const isShort = length < TWO_BYTE_LENGTH;
  const maskAt = isShort ? 2 : 4;
  const frame = Buffer.allocUnsafe(maskAt + MASK.length + length);
  frame[0] = FINAL | opcode;
  frame[1] = MASKED | (isShort ? length : TWO_BYTE_LENGTH);
  if (!isShort) frame.writeUInt16BE(length, 2);
  MASK.copy(frame, maskAt);
  for (let index = 0; index < length; index++) {
    frame[maskAt + MASK.length + index] = (payload[index] ?? 0) ^ (MASK[index & 3] ?? 0);
  }
  return frame;
}

export const closeFrame = clientFrame(OPCODE.close, Buffer.from([NORMAL_CLOSURE >> 8, NORMAL_CLOSURE & 0xff]));

/** Splits a server's bytes into frames; keeps an incomplete one. */
export class FrameReader {
  #rest: Buffer | undefined;

  /** The chunk may be overwritten afterwards, and so may the payloads. Throws at what no server may send here. */
  read(chunk: Buffer, take: (opcode: number, payload: Buffer) => void): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (bytes.length - at >= 2) {
      const [first = 0, second = 0] = [bytes[at], bytes[at + 1]];
      if ((first & 0xf0) !== FINAL || second >= EIGHT_BYTE_LENGTH) {
        throw new Error("The server sent a frame that is fragmented, masked, compressed or huge.");
      }
      const payloadAt = at + (second === TWO_BYTE_LENGTH ? 4 : 2);
      if (bytes.length < payloadAt) break;
      const end = payloadAt + (second === TWO_BYTE_LENGTH ? bytes.readUInt16BE(at + 2) : second);
      if (bytes.length < end) break;
      take(first & 0x0f, bytes.subarray(payloadAt, end));
      at = end;
    }
    this.#rest = at === bytes.length ? undefined : Buffer.from(bytes.subarray(at));
  }
}

/** For tests: what clients put on the wire, well-formed or not. */
export type ClientFrame = {
  opcode: number;
  payload?: Buffer | string;
  isLast?: boolean;
  /** The three bits that only extensions use. */
  reserved?: number;
  isMasked?: boolean;
  /** How the length is written: in 7, 16 or 64 bits; the shortest by default. */
  lengthBits?: 7 | 16 | 64;
};

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** Characters of one to four bytes, among them the first and the last of each. */
export const CHARACTERS = [
  "\0",
  "x",
  "~",
  "\x7f",
  "\x80",
  "é",
  "\u07ff",
  "\u0800",
  "大",
  "\ufeff",
  "\uffff",
  "🛰",
  "\u{10ffff}",
];

const MASK = Buffer.from([0x37, 0xfa, 0x21, 0x3d]);

export function encodeFrame({ opcode, isLast = true, reserved = 0, isMasked = true, ...frame }: ClientFrame): Buffer {
  const payload = Buffer.from(frame.payload ?? "");
  const shortest = payload.length < 126 ? 7 : payload.length < 0x1_00_00 ? 16 : 64;
  const bits = Math.max(shortest, frame.lengthBits ?? 7);
  const length = Buffer.alloc(bits === 7 ? 1 : bits === 16 ? 3 : 9);
  length[0] = (isMasked ? 0x80 : 0) | (bits === 7 ? payload.length : bits === 16 ? 126 : 127);
  if (bits === 16) length.writeUInt16BE(payload.length, 1);
  if (bits === 64) length.writeBigUInt64BE(BigInt(payload.length), 1);
  const first = Buffer.from([(isLast ? 0x80 : 0) | (reserved << 4) | opcode]);
  if (!isMasked) return Buffer.concat([first, length, payload]);
  const masked = payload.map((byte, i) => byte ^ (MASK[i % 4] as number));
  return Buffer.concat([first, length, MASK, masked]);
}

export function encodeText(text: string): Buffer {
  return encodeFrame({ opcode: OPCODE.text, payload: text });
}

export function encodeClose(code: number, reason: string | Buffer = ""): Buffer {
  const payload = Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason)]);
  return encodeFrame({ opcode: OPCODE.close, payload });
}

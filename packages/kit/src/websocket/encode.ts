import { CLOSE } from "./close-codes.ts";

const TEXT = 0x81;
const CLOSE_FRAME = 0x88;
const PING = 0x89;
const PONG = 0x8a;

const MAX_SHORT_BYTES = 125;
const MAX_MEDIUM_BYTES = 0xffff;
const LENGTH_OF_2_BYTES = 126;
const LENGTH_OF_8_BYTES = 127;
/** Section 5.5: a control frame has 125 bytes, two of them the code. */
const MAX_REASON_BYTES = 123;

export const PING_FRAME = Buffer.from([PING, 0]);
const EMPTY_PONG_FRAME = Buffer.from([PONG, 0]);

/**
 * One text frame, as a string of bytes ("latin1") when the text is ASCII, as nearly every message is: node writes that
 * without a buffer in between.
 */
export function textFrame(text: string): string | Buffer {
  const length = Buffer.byteLength(text);
  if (length === text.length && length <= MAX_MEDIUM_BYTES) {
    return length <= MAX_SHORT_BYTES
      ? String.fromCharCode(TEXT, length) + text
      : String.fromCharCode(TEXT, LENGTH_OF_2_BYTES, length >> 8, length & 0xff) + text;
  }
  const headerBytes = length <= MAX_SHORT_BYTES ? 2 : length <= MAX_MEDIUM_BYTES ? 4 : 10;
  const frame = Buffer.allocUnsafe(headerBytes + length);
  frame[0] = TEXT;
  if (headerBytes === 2) frame[1] = length;
  else if (headerBytes === 4) {
    frame[1] = LENGTH_OF_2_BYTES;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = LENGTH_OF_8_BYTES;
    frame.writeUInt32BE(0, 2);
    frame.writeUInt32BE(length, 6);
  }
  frame.write(text, headerBytes);
  return frame;
}

export function pongFrame(payload: Buffer): Buffer {
  if (payload.length === 0) return EMPTY_PONG_FRAME;
  const frame = Buffer.allocUnsafe(2 + payload.length);
  frame[0] = PONG;
  frame[1] = payload.length;
  frame.set(payload, 2);
  return frame;
}

function buildCloseFrame(code: number, reason: string): Buffer {
  if (code === CLOSE.noneGiven) return Buffer.from([CLOSE_FRAME, 0]);
  const length = 2 + Buffer.byteLength(reason);
  if (length > 2 + MAX_REASON_BYTES) throw new RangeError(`A reason has at most ${MAX_REASON_BYTES} bytes.`);
  const frame = Buffer.alloc(2 + length);
  frame[0] = CLOSE_FRAME;
  frame[1] = length;
  frame.writeUInt16BE(code, 2);
  frame.write(reason, 4);
  return frame;
}

/** Answers to a peer's close frame, made once. */
const ECHOES = new Map(
  [CLOSE.normal, CLOSE.goingAway, CLOSE.noneGiven].map((code) => [code as number, buildCloseFrame(code, "")] as const),
);

export function closeFrame(code: number, reason = ""): Buffer {
  return (reason === "" ? ECHOES.get(code) : undefined) ?? buildCloseFrame(code, reason);
}

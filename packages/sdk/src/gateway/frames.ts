/** WebSocket frames (RFC 6455 section 5) as a client reads and writes them. */
export const OPCODE = { continuation: 0x0, text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa } as const;

type Frame = { opcode: number; isLast: boolean; payload: Buffer };

/** Close codes of RFC 6455 section 7.4.1. */
export const CLOSE = { normal: 1000, protocolError: 1002, notUtf8: 1007, tooLarge: 1009 } as const;

/** The peer broke the protocol; `closeCode` is sent to it. */
export class FrameFault extends Error {
  readonly closeCode: number;

  constructor(closeCode: number, message: string) {
    super(message);
    this.closeCode = closeCode;
  }
}

const MAX_CONTROL_BYTES = 125;
const LENGTH_IN_2_BYTES = 126;
const LENGTH_IN_8_BYTES = 127;
const MASK_BYTES = 4;

/** One unfragmented frame. Clients mask what they send. */
export function encodeFrame(opcode: number, payload: Buffer, mask: Buffer): Buffer {
  const { length } = payload;
  const extended = length > 0xffff ? 8 : length > MAX_CONTROL_BYTES ? 2 : 0;
  const frame = Buffer.alloc(2 + extended + MASK_BYTES + length);
  frame[0] = 0x80 | opcode;
  frame[1] = 0x80 | (extended === 8 ? LENGTH_IN_8_BYTES : extended === 2 ? LENGTH_IN_2_BYTES : length);
  if (extended === 2) frame.writeUInt16BE(length, 2);
  if (extended === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  mask.copy(frame, 2 + extended, 0, MASK_BYTES);
  const start = 2 + extended + MASK_BYTES;
  for (let index = 0; index < length; index += 1) {
    frame[start + index] = (payload[index] ?? 0) ^ (mask[index % MASK_BYTES] ?? 0);
  }
  return frame;
}

/** Cuts a stream of bytes into frames. Keeps the incomplete rest: at most one frame of `maxPayloadBytes`. */
function createFrameReader(maxPayloadBytes: number): (chunk: Buffer) => Generator<Frame> {
  let rest: Buffer = Buffer.alloc(0);
  return function* readFrames(chunk) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let read = readFrame(rest, maxPayloadBytes); read !== undefined; read = readFrame(rest, maxPayloadBytes)) {
      rest = rest.subarray(read.length);
      yield read.frame;
    }
  };
}

function readFrame(bytes: Buffer, maxPayloadBytes: number): { frame: Frame; length: number } | undefined {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return undefined;
  const opcode = first & 0x0f;
  const isLast = (first & 0x80) !== 0;
  const isControl = opcode >= OPCODE.close;
  const short = second & 0x7f;
  if ((first & 0x70) !== 0) throw new FrameFault(CLOSE.protocolError, "a reserved bit is set");
  if ((second & 0x80) !== 0) throw new FrameFault(CLOSE.protocolError, "a frame from a server is masked");
  if (!Object.values<number>(OPCODE).includes(opcode)) throw new FrameFault(CLOSE.protocolError, "unknown opcode");
  if (isControl && (short > MAX_CONTROL_BYTES || !isLast)) {
    throw new FrameFault(CLOSE.protocolError, "a control frame is too long or fragmented");
  }

  const start = short === LENGTH_IN_8_BYTES ? 10 : short === LENGTH_IN_2_BYTES ? 4 : 2;
  if (bytes.length < start) return undefined;
  const size = start === 10 ? Number(bytes.readBigUInt64BE(2)) : start === 4 ? bytes.readUInt16BE(2) : short;
  if (size > maxPayloadBytes) throw new FrameFault(CLOSE.tooLarge, "the message is too large");
  const length = start + size;
  return bytes.length < length
    ? undefined
    : { frame: { opcode, isLast, payload: bytes.subarray(start, length) }, length };
}

export type Message = { type: "text"; text: string } | { type: "ping"; payload: Buffer } | { type: "close" };

/** Joins frames into messages. Binary messages and pongs are ignored. */
export function createMessageReader(maxMessageBytes: number): (chunk: Buffer) => Generator<Message> {
  const readFrames = createFrameReader(maxMessageBytes);
  let opcode: number | undefined;
  let parts: Buffer[] = [];
  let size = 0;

  /** The message that this frame completes. */
  function assemble(frame: Frame): { opcode: number; payload: Buffer } | undefined {
    if ((frame.opcode === OPCODE.continuation) === (opcode === undefined)) {
      throw new FrameFault(CLOSE.protocolError, "fragments out of order");
    }
    const whole = opcode ?? frame.opcode;
    opcode = whole;
    size += frame.payload.length;
    if (size > maxMessageBytes) throw new FrameFault(CLOSE.tooLarge, "the message is too large");
    parts.push(frame.payload);
    if (!frame.isLast) return undefined;
    const payload = Buffer.concat(parts);
    opcode = undefined;
    parts = [];
    size = 0;
    return { opcode: whole, payload };
  }

  return function* readMessages(chunk) {
    for (const frame of readFrames(chunk)) {
      if (frame.opcode === OPCODE.ping) yield { type: "ping", payload: frame.payload };
      else if (frame.opcode === OPCODE.close) yield { type: "close" };
      else if (frame.opcode !== OPCODE.pong) {
        const message = assemble(frame);
        if (message?.opcode === OPCODE.text) yield { type: "text", text: decode(message.payload) };
      }
    }
  };
}

function decode(payload: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(payload);
  } catch {
    throw new FrameFault(CLOSE.notUtf8, "a text message is not UTF-8");
  }
}

import { crc8DvbS2 } from "../checksums.ts";
import { type Codec, createFrameReader, type Frame, skipTo } from "../codec.ts";

/** A message of the MultiWii Serial Protocol, as Betaflight, INAV and others speak it. `flag`: it is of version 2. */
export type MspMessage = { code: number; payload: readonly number[]; flag?: number; isError?: true };

const START = 0x24;
const [V1, V2] = [0x4d, 0x58];
const ASK = 0x3c;
const ANSWER = 0x3e;
const ERROR = 0x21;
/** `$`, version and direction. */
const HEAD = 3;
/** Nothing that is asked here is longer: what claims to be would hold up what follows. */
const MAX_PAYLOAD = 1_024;

const xor = (bytes: Uint8Array): number => bytes.reduce((sum, byte) => sum ^ byte, 0);
const isStart = (byte: number): boolean => byte === START;

function write({ code, payload, flag }: MspMessage, direction: number): Buffer {
  const isNew = flag !== undefined;
  const body = Buffer.alloc(isNew ? 5 : 2);
  if (isNew) {
    body[0] = flag;
    body.writeUInt16LE(code, 1);
    body.writeUInt16LE(payload.length, 3);
  } else {
    body[0] = payload.length;
    body[1] = code;
  }
  const summed = Buffer.concat([body, Buffer.from(payload)]);
  const sum = isNew ? crc8DvbS2(summed) : xor(summed);
  return Buffer.concat([Buffer.of(START, isNew ? V2 : V1, direction), summed, Buffer.of(sum)]);
}

const messageFinder =
  (directions: readonly number[]) =>
  (waiting: Buffer): Frame<MspMessage> | undefined => {
    const [start, version = V1, direction = directions[0] as number] = waiting;
    const isNew = version === V2;
    if (start !== START || (!isNew && version !== V1) || !directions.includes(direction))
      return skipTo(waiting, isStart);
    const bodyAt = HEAD + (isNew ? 5 : 2);
    if (waiting.length < bodyAt) return undefined;
    const length = isNew ? waiting.readUInt16LE(HEAD + 3) : waiting.readUInt8(HEAD);
    if (length > MAX_PAYLOAD) return skipTo(waiting, isStart);
    const end = bodyAt + length;
    if (waiting.length <= end) return undefined;
    const summed = waiting.subarray(HEAD, end);
    if (waiting[end] !== (isNew ? crc8DvbS2(summed) : xor(summed))) return skipTo(waiting, isStart);
    const code = isNew ? waiting.readUInt16LE(HEAD + 1) : waiting.readUInt8(HEAD + 1);
    const message: MspMessage = {
      ...{ code, payload: [...waiting.subarray(bodyAt, end)] },
      ...(isNew ? { flag: waiting.readUInt8(HEAD) } : {}),
      ...(direction === ERROR ? { isError: true } : {}),
    };
    return { length: end + 1, message };
  };

export const mspRequests: Codec<MspMessage> = {
  write: (message) => write(message, ASK),
  createReader: () => createFrameReader(messageFinder([ASK])),
};

export const mspAnswers: Codec<MspMessage> = {
  write: (message) => write(message, message.isError ? ERROR : ANSWER),
  createReader: () => createFrameReader(messageFinder([ANSWER, ERROR])),
};

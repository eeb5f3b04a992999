import { crc16Xmodem } from "../checksums.ts";
import { type Codec, createFrameReader, type Frame, type Layout, readLayout, skipTo, writeLayout } from "../codec.ts";

/** What is sent to a VESC (`comm/commands.c` of its firmware). Duty from -1 to 1, amperes, electrical turns per minute. */
export type VescRequest =
  | { command: "firmware" | "values" | "alive" }
  | { command: keyof typeof SETPOINTS; value: number };

export type VescAnswer =
  | { command: "firmware"; major: number; minor: number; hardware: string }
  | ({ command: "values" } & Record<VescValue, number>);

/** COMM_FW_VERSION, COMM_GET_VALUES, COMM_ALIVE. */
const PLAIN = { firmware: 0, values: 4, alive: 30 } as const;
/** COMM_SET_DUTY, COMM_SET_CURRENT, COMM_SET_CURRENT_BRAKE, COMM_SET_RPM; each with what one is on the wire. */
const SETPOINTS = { duty: [5, 100_000], current: [6, 1_000], brake: [7, 1_000], erpm: [8, 1] } as const;

/** The answer to COMM_GET_VALUES since firmware 3.40; later ones have more behind it. */
const VALUES = [
  ...(["driverC", "motorC"] as const).map((name) => [name, "i16", 10] as const),
  ...(["motorA", "inputA", "dA", "qA"] as const).map((name) => [name, "i32", 100] as const),
  ["duty", "i16", 1_000],
  ["erpm", "i32"],
  ["inputV", "i16", 10],
  ...(["usedAh", "chargedAh", "usedWh", "chargedWh"] as const).map((name) => [name, "i32", 10_000] as const),
  ["turns", "i32"],
  ["turnsBothWays", "i32"],
  ["fault", "u8"],
  ["positionDeg", "i32", 1_000_000],
  ["id", "u8"],
] as const satisfies Layout<string>;
type VescValue = (typeof VALUES)[number][0];

const SHORT = 2;
const LONG = 3;
const END = 3;
const MAX_PAYLOAD = 512;
const isStart = (byte: number): boolean => byte === SHORT || byte === LONG;

function writeFrame(payload: Buffer): Buffer {
  const head = payload.length < 256 ? [SHORT, payload.length] : [LONG, payload.length >> 8, payload.length & 0xff];
  const sum = crc16Xmodem(payload);
  return Buffer.concat([Buffer.from(head), payload, Buffer.of(sum >> 8, sum & 0xff, END)]);
}

const frameFinder =
  <Message>(read: (payload: Buffer) => Message | undefined) =>
  (waiting: Buffer): Frame<Message> | undefined => {
    if (!isStart(waiting[0] as number)) return skipTo(waiting, isStart);
    const head = waiting[0] === SHORT ? 2 : 3;
    if (waiting.length < head) return undefined;
    const length = head === 2 ? waiting.readUInt8(1) : waiting.readUInt16BE(1);
    if (length === 0 || length > MAX_PAYLOAD) return skipTo(waiting, isStart);
    const end = head + length;
    if (waiting.length < end + 3) return undefined;
    const payload = waiting.subarray(head, end);
    const isWhole = waiting[end + 2] === END && waiting.readUInt16BE(end) === crc16Xmodem(payload);
    return isWhole ? { length: end + 3, message: read(payload) } : skipTo(waiting, isStart);
  };

export const vescRequests: Codec<VescRequest> = {
  write(request) {
    if (!("value" in request)) return writeFrame(Buffer.of(PLAIN[request.command]));
    const [id, scale] = SETPOINTS[request.command];
    return writeFrame(Buffer.concat([Buffer.of(id), writeLayout([["value", "i32", scale]], request)]));
  },
  createReader: () =>
    createFrameReader(
      frameFinder((payload): VescRequest | undefined => {
        const [id] = payload;
        const plain = keyOf(PLAIN, (known) => known === id);
        if (plain) return payload.length === 1 ? { command: plain } : undefined;
        const command = keyOf(SETPOINTS, ([known]) => known === id);
        const told = command && readLayout([["value", "i32", SETPOINTS[command][1]]], payload.subarray(1));
        return told && { command, value: told.value };
      }),
    ),
};

export const vescAnswers: Codec<VescAnswer> = {
  write(answer) {
    if (answer.command === "values")
      return writeFrame(Buffer.concat([Buffer.of(PLAIN.values), writeLayout<VescValue>(VALUES, answer)]));
    const { major, minor, hardware } = answer;
    return writeFrame(Buffer.concat([Buffer.of(PLAIN.firmware, major, minor), Buffer.from(`${hardware}\0`)]));
  },
  createReader: () =>
    createFrameReader(
      frameFinder((payload): VescAnswer | undefined => {
        const [id, major, minor] = payload;
        if (id === PLAIN.values) {
          const values = readLayout<VescValue>(VALUES, payload.subarray(1));
          return values && { command: "values", ...values };
        }
        if (id !== PLAIN.firmware || major === undefined || minor === undefined) return undefined;
        const [hardware = ""] = payload.toString("latin1", 3).split("\0", 1);
        return { command: "firmware", major, minor, hardware };
      }),
    ),
};

function keyOf<Key extends string, Value>(table: Readonly<Record<Key, Value>>, is: (value: Value) => boolean) {
  return (Object.keys(table) as Key[]).find((key) => is(table[key]));
}

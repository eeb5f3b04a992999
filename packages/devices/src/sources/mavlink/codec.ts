import { type Codec, createFrameReader, type Frame } from "../codec.ts";
import { crcOf, type FieldType, type MessageName, type MessageOf, messageById, messageNamed } from "./messages.ts";

export type MavValue = number | string | number[];

/** A message of a vehicle or a ground station: who sent it, and its fields by their names. What is missing is 0. */
export type MavMessage = {
  name: MessageName;
  system: number;
  component: number;
  sequence: number;
  fields: Readonly<Record<string, MavValue>>;
};

const [V1, V2] = [0xfe, 0xfd];
const V2_HEADER = 10;
const V1_HEADER = 6;
const CHECKSUM = 2;
const SIGNED = 1;
const SIGNATURE = 13;

/** MAVLink 2 is written; both versions are read (mavlink.io/en/guide/serialization.html). Signatures are not checked. */
export const mavlinkMessages: Codec<MavMessage> = {
  write({ name, system, component, sequence, fields }) {
    const message = messageNamed(name);
    const payload = Buffer.alloc(message.length);
    let at = 0;
    for (const field of message.fields) {
      writeField(payload, at, field, fields[field.name] ?? 0);
      at += field.size;
    }
    // Zeros at the end are left out, but for the first byte.
    let length = message.length;
    while (length > 1 && payload[length - 1] === 0) length -= 1;
    const header = Buffer.from([V2, length, 0, 0, sequence & 0xff, system, component, 0, 0, 0]);
    header.writeUIntLE(message.id, 7, 3);
    const body = Buffer.concat([header, payload.subarray(0, length)]);
    const checksum = Buffer.alloc(CHECKSUM);
    checksum.writeUInt16LE(crcOf([message.extra], crcOf(body.subarray(1))));
    return Buffer.concat([body, checksum]);
  },
  createReader: () => createFrameReader(find),
};

function find(waiting: Buffer): Frame<MavMessage> | undefined {
  const [first] = waiting;
  if (first !== V1 && first !== V2) {
    const next = waiting.findIndex((byte) => byte === V1 || byte === V2);
    return { length: next === -1 ? waiting.length : next };
  }
  const isV2 = first === V2;
  const header = isV2 ? V2_HEADER : V1_HEADER;
  if (waiting.length < header) return undefined;
  const [, length = 0, flags = 0] = waiting;
  // A frame with flags that are not known cannot be read: its length may be another one.
  if (isV2 && (flags & ~SIGNED) !== 0) return { length: 1 };
  const end = header + length;
  const total = end + CHECKSUM + (isV2 && flags === SIGNED ? SIGNATURE : 0);
  if (waiting.length < total) return undefined;
  const message = messageById(isV2 ? waiting.readUIntLE(7, 3) : (waiting[5] as number));
  if (!message) return { length: total };
  const crc = crcOf([message.extra], crcOf(waiting.subarray(1, end)));
  if (waiting.readUInt16LE(end) !== crc) return { length: 1 };
  const from = isV2 ? 4 : 2;
  const [sequence = 0, system = 0, component = 0] = waiting.subarray(from, from + 3);
  const fields = readFields(message, waiting.subarray(header, end));
  return { length: total, message: { name: message.name as MessageName, system, component, sequence, fields } };
}

function readFields({ fields, length }: MessageOf, payload: Buffer): Record<string, MavValue> {
  const whole = Buffer.alloc(Math.max(length, payload.length));
  payload.copy(whole);
  const values: Record<string, MavValue> = {};
  let at = 0;
  for (const { name, type, count, size } of fields) {
    if (count === undefined) values[name] = READ[type](whole, at);
    else if (type === "char") values[name] = whole.toString("utf8", at, at + size).split("\0", 1)[0] ?? "";
    else values[name] = Array.from({ length: count }, (_, i) => READ[type](whole, at + (i * size) / count));
    at += size;
  }
  return values;
}

const READ: Readonly<Record<FieldType, (bytes: Buffer, at: number) => number>> = {
  u8: (bytes, at) => bytes.readUInt8(at),
  char: (bytes, at) => bytes.readUInt8(at),
  i8: (bytes, at) => bytes.readInt8(at),
  u16: (bytes, at) => bytes.readUInt16LE(at),
  i16: (bytes, at) => bytes.readInt16LE(at),
  u32: (bytes, at) => bytes.readUInt32LE(at),
  i32: (bytes, at) => bytes.readInt32LE(at),
  f32: (bytes, at) => bytes.readFloatLE(at),
  // Times, of which the last digits do not matter.
  u64: (bytes, at) => Number(bytes.readBigUInt64LE(at)),
  i64: (bytes, at) => Number(bytes.readBigInt64LE(at)),
};

function writeField(
  bytes: Buffer,
  at: number,
  { type, count, size }: MessageOf["fields"][number],
  value: MavValue,
): void {
  if (count === undefined) {
    WRITE[type](bytes, at, Number(value));
    return;
  }
  if (typeof value === "string") {
    bytes.write(value, at, size, "utf8");
    return;
  }
  const values = Array.isArray(value) ? value : [];
  for (let i = 0; i < count; i += 1) WRITE[type](bytes, at + (i * size) / count, values[i] ?? 0);
}

const within = (value: number, low: number, high: number): number =>
  Number.isNaN(value) ? 0 : Math.max(low, Math.min(high, Math.round(value)));

const WRITE: Readonly<Record<FieldType, (bytes: Buffer, at: number, value: number) => void>> = {
  u8: (bytes, at, value) => void bytes.writeUInt8(within(value, 0, 0xff), at),
  char: (bytes, at, value) => void bytes.writeUInt8(within(value, 0, 0xff), at),
  i8: (bytes, at, value) => void bytes.writeInt8(within(value, -0x80, 0x7f), at),
  u16: (bytes, at, value) => void bytes.writeUInt16LE(within(value, 0, 0xffff), at),
  i16: (bytes, at, value) => void bytes.writeInt16LE(within(value, -0x8000, 0x7fff), at),
  u32: (bytes, at, value) => void bytes.writeUInt32LE(within(value, 0, 0xffff_ffff), at),
  i32: (bytes, at, value) => void bytes.writeInt32LE(within(value, -0x8000_0000, 0x7fff_ffff), at),
  f32: (bytes, at, value) => void bytes.writeFloatLE(value, at),
  u64: (bytes, at, value) => void bytes.writeBigUInt64LE(BigInt(within(value, 0, Number.MAX_SAFE_INTEGER)), at),
  i64: (bytes, at, value) =>
    void bytes.writeBigInt64LE(BigInt(within(value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)), at),
};

/** A field that is a number; of a list or a text nothing. */
export const numberIn = ({ fields }: Pick<MavMessage, "fields">, name: string): number => {
  const value = fields[name];
  return typeof value === "number" ? value : Number.NaN;
};

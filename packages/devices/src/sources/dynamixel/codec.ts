import { crc16Umts } from "../checksums.ts";
import { type Codec, createFrameReader, type Frame, skipTo } from "../codec.ts";

/** An instruction packet of Protocol 2.0 (emanual.robotis.com). Of `sync-write` and `sync-read` the id is `BROADCAST`. */
export type DxlInstruction =
  | { id: number; instruction: "ping" | "reboot" }
  | { id: number; instruction: "read"; address: number; length: number }
  | { id: number; instruction: "write"; address: number; data: readonly number[] }
  | { instruction: "sync-read"; address: number; length: number; ids: readonly number[] }
  | { instruction: "sync-write"; address: number; each: readonly { id: number; data: readonly number[] }[] };

/** `error`: 0 is none, 0x80 is an alert of the hardware. */
export type DxlStatus = { id: number; error: number; data: readonly number[] };

const BROADCAST = 0xfe;
const CODES = { ping: 0x01, read: 0x02, write: 0x03, reboot: 0x08, "sync-read": 0x82, "sync-write": 0x83 } as const;
const STATUS = 0x55;

const HEADER = [0xff, 0xff, 0xfd, 0x00] as const;
const BEFORE_BODY = 7;
const SUM_BYTES = 2;
/** An instruction and its sum. */
const MIN_LENGTH = 1 + SUM_BYTES;
/** A sync write of all servos is about as long. */
const MAX_LENGTH = 512;

const littleEndian = (value: number): [number, number] => [value & 0xff, (value >> 8) & 0xff];
const word = (bytes: Uint8Array, at: number): number => (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);

/** What looks like the header gets one FD more, so that nothing in a packet looks like another one. */
function stuffed(body: readonly number[]): number[] {
  const bytes: number[] = [];
  for (const byte of body) {
    bytes.push(byte);
    if (isHeaderLike(bytes, bytes.length - 1)) bytes.push(0xfd);
  }
  return bytes;
}

function unstuffed(body: Uint8Array): number[] {
  const bytes: number[] = [];
  for (const [at, byte] of body.entries()) if (!(byte === 0xfd && isHeaderLike(body, at - 1))) bytes.push(byte);
  return bytes;
}

const isHeaderLike = (bytes: ArrayLike<number>, end: number): boolean =>
  bytes[end] === 0xfd && bytes[end - 1] === 0xff && bytes[end - 2] === 0xff;

function writePacket(id: number, body: readonly number[]): Buffer {
  const sent = stuffed(body);
  const packet = [...HEADER, id, ...littleEndian(sent.length + SUM_BYTES), ...sent];
  return Buffer.from([...packet, ...littleEndian(crc16Umts(Uint8Array.from(packet)))]);
}

const isStart = (byte: number): boolean => byte === HEADER[0];

const packetFinder =
  <Message>(read: (id: number, body: readonly number[]) => Message | undefined) =>
  (waiting: Buffer): Frame<Message> | undefined => {
    if (!HEADER.every((byte, at) => at >= waiting.length || waiting[at] === byte)) return skipTo(waiting, isStart);
    if (waiting.length < BEFORE_BODY) return undefined;
    const length = word(waiting, 5);
    if (length < MIN_LENGTH || length > MAX_LENGTH) return skipTo(waiting, isStart);
    const end = BEFORE_BODY + length;
    if (waiting.length < end) return undefined;
    const sumAt = end - SUM_BYTES;
    if (word(waiting, sumAt) !== crc16Umts(waiting.subarray(0, sumAt))) return skipTo(waiting, isStart);
    return { length: end, message: read(waiting[4] ?? 0, unstuffed(waiting.subarray(BEFORE_BODY, sumAt))) };
  };

export const dxlInstructions: Codec<DxlInstruction> = {
  write(packet) {
    const code = CODES[packet.instruction];
    if (!("address" in packet)) return writePacket(packet.id, [code]);
    const from = littleEndian(packet.address);
    if (packet.instruction === "read") return writePacket(packet.id, [code, ...from, ...littleEndian(packet.length)]);
    if (packet.instruction === "write") return writePacket(packet.id, [code, ...from, ...packet.data]);
    const length = packet.instruction === "sync-read" ? packet.length : (packet.each[0]?.data.length ?? 0);
    const rest = packet.instruction === "sync-read" ? packet.ids : packet.each.flatMap(({ id, data }) => [id, ...data]);
    return writePacket(BROADCAST, [code, ...from, ...littleEndian(length), ...rest]);
  },
  createReader: () => createFrameReader(packetFinder(readInstruction)),
};

function readInstruction(id: number, [code, ...params]: readonly number[]): DxlInstruction | undefined {
  const bytes = Uint8Array.from(params);
  const address = word(bytes, 0);
  const length = word(bytes, 2);
  if (code === CODES.ping || code === CODES.reboot)
    return params.length === 0 ? { id, instruction: code === CODES.ping ? "ping" : "reboot" } : undefined;
  if (code === CODES.read) return params.length === 4 ? { id, instruction: "read", address, length } : undefined;
  if (code === CODES.write)
    return params.length > 2 ? { id, instruction: "write", address, data: params.slice(2) } : undefined;
  const rest = params.slice(4);
  if (id !== BROADCAST || params.length < 4) return undefined;
  if (code === CODES["sync-read"]) return { instruction: "sync-read", address, length, ids: rest };
  if (code !== CODES["sync-write"] || length === 0 || rest.length % (length + 1) !== 0) return undefined;
  const each = Array.from({ length: rest.length / (length + 1) }, (_, i) => {
    const [one = 0, ...data] = rest.slice(i * (length + 1), (i + 1) * (length + 1));
    return { id: one, data };
  });
  return { instruction: "sync-write", address, each };
}

export const dxlStatuses: Codec<DxlStatus> = {
  write: ({ id, error, data }) => writePacket(id, [STATUS, error, ...data]),
  createReader: () =>
    createFrameReader(
      packetFinder((id, [code, error, ...data]) =>
        code === STATUS && error !== undefined ? { id, error, data } : undefined,
      ),
    ),
};

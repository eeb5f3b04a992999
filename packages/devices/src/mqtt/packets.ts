import { DEVICES_LIMITS } from "@backplane/contract/devices";

/** A fixed header has at most one byte of type and four of length (MQTT 3.1.1, section 2.2). */
const MAX_LENGTH_BYTES = 4;

/** The type in the first byte of a packet. */
export const CONNECT_BYTE = 0x10;

export type Header = { headerBytes: number; bodyBytes: number };

/** Undefined: more bytes are needed. `malformed`: no packet begins like this. */
export function readHeader(bytes: Uint8Array): Header | "malformed" | undefined {
  let bodyBytes = 0;
  for (let index = 1; index <= MAX_LENGTH_BYTES; index += 1) {
    const byte = bytes[index];
    if (byte === undefined) return undefined;
    bodyBytes += (byte & 0x7f) * 128 ** (index - 1);
    if (byte < 0x80) return { headerBytes: index + 1, bodyBytes };
  }
  return "malformed";
}

const PUBLISH_BYTE = 0x30;

/** A message that is not retained (section 3.3). `messageId`: only with QoS 1. */
export function publishPacket(topic: string, payload: string, qos: 0 | 1, messageId: number): Buffer {
  const topicBytes = Buffer.byteLength(topic);
  let left = 2 + topicBytes + 2 * qos + Buffer.byteLength(payload);
  const packet = Buffer.allocUnsafe(1 + MAX_LENGTH_BYTES + left);
  let at = packet.writeUInt8(PUBLISH_BYTE | (qos << 1));
  for (; left > 0x7f; left >>= 7) at = packet.writeUInt8((left & 0x7f) | 0x80, at);
  at = packet.writeUInt8(left, at);
  at = packet.writeUInt16BE(topicBytes, at);
  at += packet.write(topic, at);
  if (qos === 1) at = packet.writeUInt16BE(messageId, at);
  at += packet.write(payload, at);
  return packet.subarray(0, at);
}

/** What a packet has besides the message: fixed header, topic and packet identifier. */
const MAX_PACKET_BYTES = DEVICES_LIMITS.maxMessageBytes + DEVICES_LIMITS.maxTopicLength + 16;

/**
 * Follows the packets of a connection without reading them: the parser behind it keeps a packet in memory until it is
 * whole, and MQTT allows 256 MiB. Returns false at the first packet that is too large, or that `isWanted` refuses,
 * which also gets where in the chunk the header of the packet ends.
 */
export function createPacketGuard(
  maxPacketBytes = MAX_PACKET_BYTES,
  isWanted: (type: number, bodyBytes: number, at: number) => boolean = () => true,
): (chunk: Uint8Array) => boolean {
  let bodyLeft = 0;
  const header: number[] = [];
  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (bodyLeft > 0) {
        const skipped = Math.min(bodyLeft, chunk.length - at);
        bodyLeft -= skipped;
        at += skipped;
        continue;
      }
      header.push(chunk[at] as number);
      at += 1;
      const read = readHeader(header as unknown as Uint8Array);
      if (read === undefined) continue;
      if (read === "malformed" || read.headerBytes + read.bodyBytes > maxPacketBytes) return false;
      if (!isWanted((header[0] as number) >> 4, read.bodyBytes, at)) return false;
      bodyLeft = read.bodyBytes;
      header.length = 0;
    }
    return true;
  };
}

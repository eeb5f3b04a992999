import type { JsonObject } from "@backplane/contract/panels";

// https://github.com/foxglove/ws-protocol/blob/main/docs/spec.md, "Binary messages": little endian, times in ns.
const MESSAGE_DATA = 1;
const TIME = 2;
const HEAD_BYTES = 13;
const TIME_BYTES = 9;
const NS_PER_US = 1_000n;
const US_PER_MS = 1_000;

const nsOf = (tMs: number): bigint => BigInt(Math.round(tMs * US_PER_MS)) * NS_PER_US;

export function messageData(subscription: number, tMs: number, message: JsonObject): Buffer {
  const payload = Buffer.from(JSON.stringify(message));
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + payload.length);
  bytes.writeUInt8(MESSAGE_DATA, 0);
  bytes.writeUInt32LE(subscription, 1);
  bytes.writeBigUInt64LE(nsOf(tMs), 5);
  payload.copy(bytes, HEAD_BYTES);
  return bytes;
}

export function time(tMs: number): Buffer {
  const bytes = Buffer.allocUnsafe(TIME_BYTES);
  bytes.writeUInt8(TIME, 0);
  bytes.writeBigUInt64LE(nsOf(tMs), 1);
  return bytes;
}

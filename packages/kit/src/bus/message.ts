import { BusFault } from "./fault.ts";
import {
  MAX_CHANNEL_LENGTH,
  MAX_CLAIM_TTL_MS,
  MAX_CLAIM_VALUE_BYTES,
  MAX_KEY_LENGTH,
  MAX_MESSAGE_BYTES,
  MAX_REQUEST_TIMEOUT_MS,
} from "./limits.ts";

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue | undefined };

/** UTF-8 takes at most three bytes per UTF-16 unit, so most texts need no counting. */
const MAX_UTF8_BYTES_PER_UNIT = 3;

function exceeds(text: string, maxBytes: number): boolean {
  return text.length * MAX_UTF8_BYTES_PER_UNIT > maxBytes && Buffer.byteLength(text) > maxBytes;
}

/** The JSON text of a message or reply. Both engines carry text: that is what makes every copy independent. */
export function encodeMessage(message: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(message);
  } catch {
    // A cycle or a BigInt. The error would quote the message's property names, so it is not kept as a cause.
  }
  if (text === undefined) throw new BusFault("invalid", "the message is not a JSON value");
  if (exceeds(text, MAX_MESSAGE_BYTES)) {
    throw new BusFault("too-large", `the message is larger than ${MAX_MESSAGE_BYTES} bytes`);
  }
  return text;
}

export function decodeMessage(text: string): JsonValue {
  return JSON.parse(text) as JsonValue;
}

export function checkChannel(channel: string): void {
  if (channel.length === 0 || channel.length > MAX_CHANNEL_LENGTH) {
    throw new BusFault("invalid", `a channel's name has 1 to ${MAX_CHANNEL_LENGTH} characters`);
  }
}

export function checkKey(key: string): void {
  if (key.length === 0 || key.length > MAX_KEY_LENGTH) {
    throw new BusFault("invalid", `a key has 1 to ${MAX_KEY_LENGTH} characters`);
  }
}

export function checkClaimValue(value: string): void {
  if (exceeds(value, MAX_CLAIM_VALUE_BYTES)) {
    throw new BusFault("too-large", `the value of a claim is larger than ${MAX_CLAIM_VALUE_BYTES} bytes`);
  }
}

export function checkTtl(ttlMs: number): void {
  if (!Number.isInteger(ttlMs) || ttlMs < 1 || ttlMs > MAX_CLAIM_TTL_MS) {
    throw new BusFault("invalid", `a ttl is a whole number of 1 to ${MAX_CLAIM_TTL_MS} milliseconds`);
  }
}

export function checkTimeout(timeoutMs: number): void {
  if (!(timeoutMs >= 1 && timeoutMs <= MAX_REQUEST_TIMEOUT_MS)) {
    throw new BusFault("invalid", `a time-out is a number of 1 to ${MAX_REQUEST_TIMEOUT_MS} milliseconds`);
  }
}

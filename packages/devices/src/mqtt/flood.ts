import { DEVICES_LIMITS } from "@backplane/contract/devices";

const SECOND_MS = 1_000;

export type FloodLimits = { maxPerSecond: number; floodMs: number };

/** `beyond`: more than the limit in this second. `flood`: seconds beyond the limit have followed each other for too long. */
export type FloodVerdict = "within" | "beyond" | "flood";

/** Counts the messages of one key. Pure but for its counters. */
export function createFloodMeter({
  maxPerSecond = DEVICES_LIMITS.maxMessagesPerSecond,
  floodMs = DEVICES_LIMITS.floodMs,
}: Partial<FloodLimits> = {}): (nowMs: number) => FloodVerdict {
  let second = Number.NEGATIVE_INFINITY;
  let count = 0;
  let sinceMs: number | undefined;
  return (nowMs) => {
    const current = Math.floor(nowMs / SECOND_MS);
    if (current !== second) {
      const wasBeyond = count > maxPerSecond && current === second + 1;
      if (!wasBeyond) sinceMs = undefined;
      second = current;
      count = 0;
    }
    count += 1;
    if (count <= maxPerSecond) return "within";
    sinceMs ??= nowMs;
    return nowMs - sinceMs >= floodMs ? "flood" : "beyond";
  };
}

/** Types of packets (MQTT 3.1.1, section 2.2.1). */
const TYPE = { publish: 3, subscribe: 8, unsubscribe: 10 } as const;
/** A filter is looked up, stored and answered: about this many bytes of it take as long as a short packet. */
const FILTER_BYTES = 16;

/** Counts the packets of one key that are not messages, which are counted when they were read. False: too many in this second. */
export function createPacketMeter(
  maxPerSecond: number = DEVICES_LIMITS.maxMessagesPerSecond,
): (type: number, bodyBytes: number, nowMs: number) => boolean {
  let second = Number.NEGATIVE_INFINITY;
  let cost = 0;
  return (type, bodyBytes, nowMs) => {
    if (type === TYPE.publish) return true;
    const current = Math.floor(nowMs / SECOND_MS);
    if (current !== second) cost = 0;
    second = current;
    const isFilter = type === TYPE.subscribe || type === TYPE.unsubscribe;
    cost += isFilter ? Math.ceil(bodyBytes / FILTER_BYTES) + FILTER_BYTES / 2 : 1;
    return cost <= maxPerSecond;
  };
}

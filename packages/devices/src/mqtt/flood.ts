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

import { DEVICES_LIMITS } from "@backplane/contract/devices";

/** Bounds what a broker keeps: the last message of each topic. */
export function createRetained({
  maxTopics = DEVICES_LIMITS.maxRetained as number,
  maxBytes = DEVICES_LIMITS.maxRetainedBytes as number,
} = {}) {
  const sizes = new Map<string, number>();
  let bytes = 0;
  return {
    /** False: there is no room for it. An empty message removes what was kept. */
    keep(topic: string, size: number): boolean {
      const before = sizes.get(topic);
      const total = bytes - (before ?? 0) + size;
      if (size === 0) sizes.delete(topic);
      else if (total > maxBytes || (before === undefined && sizes.size >= maxTopics)) return false;
      else sizes.set(topic, size);
      bytes = total;
      return true;
    },
  };
}

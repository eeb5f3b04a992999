import { DEVICES_LIMITS } from "@backplane/contract/devices";

/** What all brokers of this process keep. */
export type RetainedOfAll = { bytes: number };

/** Bounds what a broker keeps: the last message of each topic. */
export function createRetained(
  ofAll: RetainedOfAll,
  {
    maxTopics = DEVICES_LIMITS.maxRetained as number,
    maxBytes = DEVICES_LIMITS.maxRetainedBytes as number,
    maxBytesOfAll = DEVICES_LIMITS.maxRetainedBytesOfAll as number,
  } = {},
) {
  const sizes = new Map<string, number>();
  let bytes = 0;
  return {
    /** False: there is no room for it. An empty message removes what was kept. */
    keep(topic: string, size: number): boolean {
      const before = sizes.get(topic);
      const more = size - (before ?? 0);
      const isTooMuch = bytes + more > maxBytes || (more > 0 && ofAll.bytes + more > maxBytesOfAll);
      if (size === 0) sizes.delete(topic);
      else if (isTooMuch || (before === undefined && sizes.size >= maxTopics)) return false;
      else sizes.set(topic, size);
      bytes += more;
      ofAll.bytes += more;
      return true;
    },
    close(): void {
      ofAll.bytes -= bytes;
      bytes = 0;
      sizes.clear();
    },
  };
}

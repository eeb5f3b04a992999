import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { Devices, Target } from "../devices/devices.ts";
import { createTrack, type Track } from "../parts/plot/track.ts";

/** The channels that a panel shows, each with its samples. */
export type Channels = {
  /** Ends what is not wanted any more, and begins what is new. */
  want(targets: readonly Target[]): void;
  track(target: Target): Track | undefined;
  close(): void;
};

export const channelKey = ({ device, capability }: Target): string => `${device}/${capability}`;

/** `keptMs`: how much of the past the panel needs. */
export function openChannels(devices: Pick<Devices, "subscribe">, keptMs?: number): Channels {
  const open = new Map<string, { track: Track; stop: () => void }>();

  function begin(target: Target): { track: Track; stop: () => void } {
    const track = createTrack(keptMs === undefined ? {} : { keptMs: 2 * keptMs });
    const { device, capability } = target;
    return {
      track,
      stop: devices.subscribe({ device, capability, historyMs: keptMs ?? DEVICES_LIMITS.keptMs }, track.append),
    };
  }

  return {
    want(targets) {
      const wanted = new Map(targets.map((target) => [channelKey(target), target]));
      for (const [key, { stop }] of open) {
        if (wanted.has(key)) continue;
        stop();
        open.delete(key);
      }
      for (const [key, target] of wanted) if (!open.has(key)) open.set(key, begin(target));
    },
    track: (target) => open.get(channelKey(target))?.track,
    close() {
      for (const { stop } of open.values()) stop();
      open.clear();
    },
  };
}

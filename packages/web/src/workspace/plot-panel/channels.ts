import type { Devices, Target } from "../devices/devices.ts";
import { createTrack, type Track } from "../parts/plot/track.ts";

/** The channels that a panel shows, each with its samples. */
export type Channels = {
  /** Ends what is not wanted any more, and begins what is new. `pastMs`: how much of the past is needed; it never shrinks. */
  want(targets: readonly Target[], pastMs: number): void;
  track(target: Target): Track | undefined;
  close(): void;
};

export const channelKey = ({ device, capability }: Target): string => `${device}/${capability}`;

export function openChannels(devices: Pick<Devices, "subscribe">): Channels {
  const open = new Map<string, { track: Track; pastMs: number; stop: () => void }>();

  function begin({ device, capability }: Target, track: Track, pastMs: number): void {
    track.keep(2 * pastMs);
    // History replaces what the track has of the same times.
    const stop = devices.subscribe({ device, capability, historyMs: pastMs }, track.append);
    open.set(channelKey({ device, capability }), { track, pastMs, stop });
  }

  return {
    want(targets, pastMs) {
      const wanted = new Map(targets.map((target) => [channelKey(target), target]));
      for (const [key, { stop }] of open) {
        if (wanted.has(key)) continue;
        stop();
        open.delete(key);
      }
      for (const [key, target] of wanted) {
        const known = open.get(key);
        if (known && known.pastMs >= pastMs) continue;
        known?.stop();
        begin(target, known?.track ?? createTrack({ keptMs: 0 }), pastMs);
      }
    },
    track: (target) => open.get(channelKey(target))?.track,
    close() {
      for (const { stop } of open.values()) stop();
      open.clear();
    },
  };
}

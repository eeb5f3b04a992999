import { useEffect, useState } from "react";
import type { DeviceContent } from "../device-panel/device-panel.tsx";
import { pageBeat } from "../parts/beat.ts";
import { createTrack, type Track } from "../parts/plot/track.ts";

const DRAWN_EVERY_MS = 100;

/** The last samples of the panel's capability. What uses them is drawn again when there are new ones, at most ten times per second. */
export function useTrack({ context, device, capability }: Omit<DeviceContent, "commands">, windowMs: number): Track {
  const { devices } = context;
  const [track, setTrack] = useState(() => createTrack());
  const [, setTick] = useState(0);
  useEffect(() => {
    const fresh = createTrack({ keptMs: 2 * windowMs });
    setTrack(fresh);
    let isNew = false;
    const stop = devices.subscribe({ device: device.id, capability: capability.id, historyMs: windowMs }, (batch) => {
      fresh.append(batch);
      isNew = true;
    });
    const stopBeat = pageBeat.add(context, DRAWN_EVERY_MS, () => {
      if (isNew) setTick((before) => before + 1);
      isNew = false;
    });
    return () => {
      stop();
      stopBeat();
    };
  }, [context, devices, device.id, capability.id, windowMs]);
  return track;
}

/** The points of a field since this time; x in seconds before `nowMs`. */
export function* recentPoints(track: Track, field: string, fromMs: number, nowMs: number): Generator<[number, number]> {
  for (let sample = track.from(fromMs); sample < track.next; sample += 1)
    yield [(track.timeAt(sample) - nowMs) / 1_000, track.valueAt(field, sample)];
}

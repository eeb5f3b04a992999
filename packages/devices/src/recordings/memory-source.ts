import type { Sample } from "@backplane/contract/devices";
import type { View, Watch } from "../hub/view.ts";
import { topicOf } from "./channels.ts";
import type { ChannelName, RecordedEvent, RecordingSource } from "./source.ts";

/** What is put in order at a time. */
const WINDOW_MS = 5_000;

/** The last minutes, as they are in memory: nobody has to have recorded them. */
export function memorySource(view: View, startMs: number, endMs: number): RecordingSource {
  const watches = new Map<string, Watch>();

  async function watch(channel: ChannelName): Promise<void> {
    const key = topicOf(channel);
    const known = watches.get(key) ?? view.watch(channel.device, channel.capability);
    watches.set(key, known);
    await known.ready;
  }

  function samplesOf({ device, capability }: ChannelName, fromMs: number, toMs: number): Sample[] {
    const ring = view.ring(device, capability);
    const samples: Sample[] = [];
    if (!ring) return samples;
    const end = ring.after(toMs);
    for (let number = ring.after(fromMs); number < end; number += 1) {
      const kept = ring.sample(number);
      if (kept) samples.push({ device, capability, tMs: kept.tMs, values: kept.values });
    }
    return samples;
  }

  return {
    startMs,
    endMs,
    changes: async () => view.devices().map((device) => ({ tMs: startMs, id: device.id, device })),
    async *read({ channels, lines }, fromMs, toMs): AsyncGenerator<RecordedEvent> {
      await Promise.all(channels.map(watch));
      const last = Math.min(toMs, endMs);
      for (let from = Math.max(fromMs, startMs - 1); from < last; from += WINDOW_MS) {
        const to = Math.min(from + WINDOW_MS, last);
        const said = lines ? view.lines().filter(({ tMs }) => tMs > from && tMs <= to) : [];
        const events = [
          ...channels.flatMap((channel) => samplesOf(channel, from, to)).map((sample) => ({ tMs: sample.tMs, sample })),
          ...said.map((line) => ({ tMs: line.tMs, line })),
        ];
        yield* events.sort((a, b) => a.tMs - b.tMs);
      }
    },
    async close() {
      for (const { stop } of watches.values()) stop();
      watches.clear();
    },
  };
}

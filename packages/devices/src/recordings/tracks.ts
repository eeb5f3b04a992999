import type { Sample } from "@backplane/contract/devices";
import type { Watch } from "../hub/view.ts";
import { createRing, type Ring } from "../model/ring.ts";
import { topicOf } from "./channels.ts";
import type { ChannelName } from "./source.ts";
import type { Timeline } from "./timeline.ts";

/** What one replay may keep in memory. */
const MAX_BYTES = 64 * 1024 * 1024;
const READY = Promise.resolve();

/** `pastMs`: how much before now its readers want, and how much of it was read. */
type Track = ChannelName & { watchers: number; ring: Ring | undefined; pastMs: number; readMs: number };

/** The channels that somebody watches in a replay, with what came before. */
export type Tracks = {
  /** `pastMs`: how much of what came before is wanted. */
  watch(channel: ChannelName, pastMs: number): Watch;
  ring(channel: ChannelName): Ring | undefined;
  /** Those that can be read, and those whose past is still to be loaded. */
  loaded(): ChannelName[];
  fresh(): (ChannelName & { pastMs: number })[];
  append(sample: Sample): void;
  /** Readers see a ring when all that came before is in it: `finish` shows those that were begun, unless it is too late. */
  begin(channels: readonly (ChannelName & { pastMs: number })[]): void;
  /** Those that were begun and have nothing yet. */
  empty(): ChannelName[];
  finish(isWanted: boolean): void;
  /** It jumped: everything is to be loaded. */
  clear(): void;
};

export function createTracks(timeline: Pick<Timeline, "fieldsOf">, onWatched: () => void): Tracks {
  const tracks = new Map<string, Track>();
  const loading = new Map<string, Ring>();
  let sinceCounted = 0;

  /** Counting costs a look at every ring, so it is done now and then. */
  function makeRoom(): void {
    sinceCounted += 1;
    if (sinceCounted < 1_000) return;
    sinceCounted = 0;
    const rings = [...loading.values(), ...[...tracks.values()].flatMap(({ ring }) => ring ?? [])];
    for (let bytes = rings.reduce((sum, ring) => sum + ring.bytes, 0); bytes > MAX_BYTES; ) {
      const largest = rings.reduce((most, ring) => (ring.bytes > most.bytes ? ring : most));
      const before = largest.bytes;
      largest.dropOldest();
      if (largest.bytes === before) return;
      bytes -= before - largest.bytes;
    }
  }

  return {
    watch(channel, pastMs) {
      const key = topicOf(channel);
      const track = tracks.get(key) ?? { ...channel, watchers: 0, ring: undefined, pastMs: 0, readMs: 0 };
      tracks.set(key, track);
      track.watchers += 1;
      track.pastMs = Math.max(track.pastMs, pastMs);
      onWatched();
      return {
        ready: READY,
        stop() {
          track.watchers -= 1;
          if (track.watchers === 0 && tracks.get(key) === track) tracks.delete(key);
        },
      };
    },
    ring: (channel) => tracks.get(topicOf(channel))?.ring,
    loaded: () => [...tracks.values()].filter(({ ring }) => ring !== undefined),
    fresh: () => [...tracks.values()].filter(({ ring, pastMs, readMs }) => ring === undefined || readMs < pastMs),
    empty: () => [...tracks.values()].filter((track) => loading.get(topicOf(track))?.next === 0),
    append(sample) {
      const key = topicOf(sample);
      const ring = loading.get(key) ?? tracks.get(key)?.ring;
      ring?.append(sample.tMs, sample.values, sample.deviceTMs);
      makeRoom();
    },
    begin(channels) {
      for (const channel of channels) {
        const key = topicOf(channel);
        loading.set(key, createRing(timeline.fieldsOf(channel)));
        const track = tracks.get(key);
        if (track) track.readMs = channel.pastMs;
      }
    },
    finish(isWanted) {
      for (const [key, ring] of isWanted ? loading : []) {
        const track = tracks.get(key);
        if (track) track.ring = ring;
      }
      loading.clear();
    },
    clear() {
      for (const track of tracks.values()) track.ring = undefined;
    },
  };
}

import { gapAfterMs } from "../parts/plot/envelope.ts";
import type { Track } from "../parts/plot/track.ts";

/** Where a name is measured. Undefined: nowhere now. */
type Place = { track: Track; field: string } | undefined;

/**
 * Several channels as one: the times are those of the first, and values of others are the last ones before. A value that is
 * older than a gap of its channel is none.
 */
export function joinTracks(times: Track, others: readonly Track[], placeOf: (name: string) => Place): Track {
  return {
    get first() {
      return times.first;
    },
    get next() {
      return times.next;
    },
    // History that comes later than that of the first changes values that were read.
    get revision() {
      return others.reduce((sum, each) => sum + each.revision + (each.next > each.first ? 1 : 0), times.revision);
    },
    get isThinned() {
      return times.isThinned || others.some(({ isThinned }) => isThinned);
    },
    ...{ append: times.append, keep: times.keep },
    timeAt: times.timeAt,
    from: times.from,
    dataAt: times.dataAt,
    periodMs: times.periodMs,
    valueAt(name, sample) {
      const place = placeOf(name);
      if (!place) return Number.NaN;
      const { track, field } = place;
      return track === times ? track.valueAt(field, sample) : lastBefore(track, field, times.timeAt(sample));
    },
  };
}

function lastBefore(track: Track, field: string, tMs: number): number {
  const after = track.from(tMs);
  const sample = after < track.next && track.timeAt(after) === tMs ? after : after - 1;
  if (sample < track.first || tMs - track.timeAt(sample) > gapAfterMs(track.periodMs())) return Number.NaN;
  return track.valueAt(field, sample);
}

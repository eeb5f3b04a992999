import type { Track } from "./track.ts";

/** Samples that are summed up once, together. */
const BLOCK = 256;

/** Sums of consecutive samples, in their order. */
export type Blocks<Sum> = (track: Track, from: number, to: number) => Sum[];

/**
 * Keeps what whole blocks of samples sum up to: a window of many thousand samples is looked at several times per second, and
 * only its ends are new. Replaced samples are summed up again.
 */
export function createBlocks<Sum>(sum: (track: Track, from: number, to: number) => Sum): Blocks<Sum> {
  const known = new WeakMap<Track, { revision: number; sums: Map<number, Sum> }>();

  function sumsOf(track: Track): Map<number, Sum> {
    const before = known.get(track);
    if (before?.revision === track.revision) return before.sums;
    const sums = new Map<number, Sum>();
    known.set(track, { revision: track.revision, sums });
    return sums;
  }

  return (track, from, to) => {
    const sums = sumsOf(track);
    for (const block of sums.keys()) {
      if (block * BLOCK >= track.first) break;
      sums.delete(block);
    }
    const all: Sum[] = [];
    for (let at = from; at < to; ) {
      const block = Math.floor(at / BLOCK);
      const end = Math.min(to, (block + 1) * BLOCK);
      const isWhole = at === block * BLOCK && end === (block + 1) * BLOCK;
      const found = (isWhole ? sums.get(block) : undefined) ?? sum(track, at, end);
      if (isWhole) sums.set(block, found);
      all.push(found);
      at = end;
    }
    return all;
  };
}

/** The samples in these times, from the first to before the last number. */
export function samplesIn(track: Track, fromMs: number, toMs: number): readonly [from: number, to: number] {
  const from = track.from(fromMs);
  let to = Math.max(from, track.from(toMs));
  while (to < track.next && track.timeAt(to) <= toMs) to += 1;
  return [from, to];
}

import type { JsonData } from "@backplane/contract/panels";
import { medianOf } from "../../parts/maths/maths.ts";
import type { Range } from "../../parts/plot/range.ts";
import type { Track } from "../../parts/plot/track.ts";
import { type Anchor, type AnchorResult, type Fix, locate, type Measured } from "./locate.ts";
import type { Between } from "./survey.ts";

/** Anchors say now and then where they are: so far back is looked for it. */
const LOOK_BACK = 600;
const MAX_ANCHORS = 64;

const numberOf = (value: unknown): number => (typeof value === "number" ? value : Number.NaN);
const textOf = (value: unknown): string => (typeof value === "string" ? value.slice(0, 32) : "");

/** The objects of the last list that came. */
function lastList(track: Track, field: string, sample: number): { [key: string]: JsonData }[] {
  for (let each = sample; each >= track.first && sample - each < LOOK_BACK; each -= 1) {
    const list = track.dataAt(field, each);
    if (!Array.isArray(list)) continue;
    return list
      .filter(
        (item): item is { [key: string]: JsonData } =>
          typeof item === "object" && item !== null && !Array.isArray(item),
      )
      .slice(0, MAX_ANCHORS);
  }
  return [];
}

export function anchorsAt(track: Track, sample: number): Anchor[] {
  return lastList(track, "anchors", sample)
    .map(({ id, x_m, y_m, z_m }) => ({ id: textOf(id), x: numberOf(x_m), y: numberOf(y_m), z: numberOf(z_m ?? 0) }))
    .filter(({ x, y, z }) => Number.isFinite(x + y + z));
}

export const betweenAt = (track: Track, sample: number): Between[] =>
  lastList(track, "anchor_ranges", sample).map(({ a, b, distance_m }) => ({
    ...{ a: textOf(a), b: textOf(b), m: numberOf(distance_m) },
  }));

export function rangesAt(track: Track, sample: number): Measured[] {
  const list = track.dataAt("ranges", sample);
  if (!Array.isArray(list)) return [];
  return list.slice(0, MAX_ANCHORS).flatMap((item) => {
    if (typeof item !== "object" || item === null || Array.isArray(item)) return [];
    return [{ anchor: textOf(item.anchor), m: numberOf(item.distance_m), dbm: numberOf(item.rssi_dbm) }];
  });
}

/** The height at which the tag is: as the device says, else on the floor. */
export const heightAt = (track: Track, sample: number): number => track.valueAt("z_m", sample) || 0;

/** By our own solver; without ranges, as the gateway says. */
function fixAt(track: Track, sample: number): Fix | undefined {
  const ranges = rangesAt(track, sample);
  return ranges.length === 0
    ? saidAt(track, sample)
    : locate(anchorsAt(track, sample), ranges, heightAt(track, sample));
}

export type Fixes = { at(sample: number): Fix | undefined; trail(times: Range): Fix[] };

const MAX_KEPT = 4_096;

/** A gateway that keeps the ranges for itself says at least where the tag is. */
function saidAt(track: Track, sample: number): Fix | undefined {
  const [x, y] = [track.valueAt("x_m", sample), track.valueAt("y_m", sample)];
  if (!Number.isFinite(x + y)) return undefined;
  const unknown = { rms: Number.NaN, ellipse: { long: Number.NaN, short: Number.NaN, angleRad: 0 } };
  return { ...{ x, y, anchors: [], isSaid: true }, ...unknown };
}

const known = new WeakMap<Track, Fixes>();

/** The positions of a track, each computed once for all who ask. */
export function fixesOf(track: Track): Fixes {
  const fixes = known.get(track) ?? createFixes(track);
  known.set(track, fixes);
  return fixes;
}

function createFixes(track: Track): Fixes {
  const kept = new Map<number, Fix | undefined>();
  let revision = track.revision;
  function at(sample: number): Fix | undefined {
    if (revision !== track.revision) kept.clear();
    revision = track.revision;
    if (sample < track.first || sample >= track.next) return undefined;
    if (!kept.has(sample)) {
      kept.set(sample, fixAt(track, sample));
      forgetOld();
    }
    return kept.get(sample);
  }
  /** In the order in which they were asked for. */
  function forgetOld(): void {
    for (const each of kept.keys()) {
      if (each >= track.first && kept.size <= MAX_KEPT) return;
      kept.delete(each);
    }
  }
  return {
    at,
    trail([fromMs, toMs]) {
      const found: Fix[] = [];
      for (let sample = track.from(fromMs); sample < track.next && track.timeAt(sample) <= toMs; sample += 1) {
        const fix = at(sample);
        if (fix) found.push(fix);
      }
      return found;
    },
  };
}

const SPEED_MS = 1_000;

/** Metres per second, over the last second. NaN: not known. */
export function speedAt(track: Track, fixes: Fixes, sample: number): number {
  const first = track.from(track.timeAt(sample) - SPEED_MS);
  const [from, to] = [fixes.at(first), fixes.at(sample)];
  const seconds = (track.timeAt(sample) - track.timeAt(first)) / 1_000;
  return from && to && seconds > 0.2 ? Math.hypot(to.x - from.x, to.y - from.y) / seconds : Number.NaN;
}

/** How much weaker a range is than the others, which have gone as far, in dB. */
export function weakerBy({ anchor, m, dbm }: AnchorResult, all: readonly AnchorResult[]): number {
  const at1m = (each: AnchorResult) => each.dbm + 20 * Math.log10(Math.max(0.1, each.m));
  const others = all.filter((each) => each.anchor !== anchor && each.isUsed);
  return medianOf(others.map(at1m)) - (dbm + 20 * Math.log10(Math.max(0.1, m)));
}

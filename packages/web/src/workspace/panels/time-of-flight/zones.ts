import { itemOf, lineThrough, medianOf, numbersIn } from "../../parts/maths/maths.ts";
import type { Track } from "../../parts/plot/track.ts";

/** Why a distance is not one. The words are those of the devices that we simulate. */
const FAULT_WORDS: Readonly<Record<string, string>> = {
  "low-signal": "low signal",
  wrapped: "wrapped",
  edge: "at an edge",
  noisy: "noisy",
  "no-target": "no target",
};
/** The numbers of ST's sensors. */
const ST_STATUS: Readonly<Record<number, string>> = {
  ...{ 5: "ok", 9: "ok", 1: "low-signal", 8: "low-signal", 3: "noisy", 6: "wrapped", 12: "edge", 255: "no-target" },
};

/** Undefined: the distance can be used. */
export function faultOf(status: unknown): string | undefined {
  const word = typeof status === "number" ? (ST_STATUS[status] ?? "unreliable") : (status ?? "ok");
  if (word === "ok" || word === "valid") return undefined;
  return (typeof word === "string" && FAULT_WORDS[word]) || "unreliable";
}

export type Zone = {
  /** NaN: it is not known. */
  mm: number;
  sigmaMm: number;
  signal: number;
  fault: string | undefined;
};

export type ZoneMap = { columns: number; rows: number; zones: readonly Zone[] };

const MAX_ZONES = 1_024;

/** What the sensor saw; undefined: it said nothing that is a map. */
export function mapAt(track: Track, sample: number): ZoneMap | undefined {
  const distances = track.dataAt("distance_mm", sample);
  if (!Array.isArray(distances) || distances.length === 0 || distances.length > MAX_ZONES) return undefined;
  const grid = track.dataAt("grid", sample);
  const given = itemOf(grid, 0);
  const isGiven = Number.isInteger(given) && given > 0 && distances.length % given === 0;
  const columns = isGiven ? given : Math.ceil(Math.sqrt(distances.length));
  const [status, sigma, signal] = ["status", "sigma_mm", "signal_kcps"].map((field) => track.dataAt(field, sample));
  const zones = numbersIn(distances).map((mm, i): Zone => {
    const fault = faultOf(Array.isArray(status) ? status[i] : undefined);
    return {
      ...{ mm, sigmaMm: itemOf(sigma, i), signal: itemOf(signal, i) },
      fault: fault ?? (Number.isNaN(mm) ? FAULT_WORDS["no-target"] : undefined),
    };
  });
  return { columns, rows: Math.ceil(zones.length / columns), zones };
}

export const isValid = ({ fault }: Zone): boolean => fault === undefined;

/** The place of the nearest zone that can be used; −1: there is none. */
export function nearestOf(zones: readonly Zone[]): number {
  let nearest = -1;
  for (const [i, zone] of zones.entries())
    if (isValid(zone) && zone.mm < (zones[nearest]?.mm ?? Number.POSITIVE_INFINITY)) nearest = i;
  return nearest;
}

export const medianMm = (zones: readonly Zone[]): number => medianOf(zones.filter(isValid).map(({ mm }) => mm));

const APPROACH_MS = 700;

/** How fast the nearest thing comes, in m/s; away is negative. */
export function approachAt(track: Track, sample: number): number {
  const toMs = track.timeAt(sample);
  const points: [number, number][] = [];
  for (let each = track.from(toMs - APPROACH_MS); each <= sample; each += 1) {
    const zones = mapAt(track, each)?.zones ?? [];
    const nearest = zones[nearestOf(zones)];
    if (nearest) points.push([(track.timeAt(each) - toMs) / 1_000, nearest.mm / 1_000]);
  }
  return points.length < 3 ? Number.NaN : -lineThrough(points).slope;
}

const LEARN_MS = 3_000;

/** The distance of every zone when nothing is in front of it: the median of the last seconds. Null: not known. */
export function backgroundAt(track: Track, sample: number): (number | null)[] {
  const maps: ZoneMap[] = [];
  for (let each = track.from(track.timeAt(sample) - LEARN_MS); each <= sample; each += 1) {
    const map = mapAt(track, each);
    if (map) maps.push(map);
  }
  return (maps.at(-1)?.zones ?? []).map((_, i) => {
    const seen = maps.flatMap(({ zones }) => {
      const zone = zones[i];
      return zone && isValid(zone) ? [zone.mm] : [];
    });
    return seen.length * 2 > maps.length ? Math.round(medianOf(seen)) : null;
  });
}

/** Nearer than noise explains. */
const MIN_NEARER_MM = 40;

export function isInFront({ mm, sigmaMm }: Zone, background: number | null | undefined): boolean {
  if (background === null || background === undefined) return true;
  return background - mm > Math.max(MIN_NEARER_MM, 3 * (sigmaMm || 0));
}

/** How many zones have each fault, the most frequent first. */
export function faultsOf(zones: readonly Zone[]): [fault: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { fault } of zones) if (fault !== undefined) counts.set(fault, (counts.get(fault) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

import type { Range } from "../../parts/plot/range.ts";
import type { Track } from "../../parts/plot/track.ts";

const ZERO_C = 273.15;
const SPEED_AT_0_C = 331.3;

/** In dry air, metres per second. */
export const speedOfSound = (celsius: number): number => SPEED_AT_0_C * Math.sqrt(1 + celsius / ZERO_C);

export type Echo = {
  sample: number;
  tMs: number;
  /** NaN: the echo was lost. */
  mm: number;
  us: number;
  /** NaN: the sensor does not turn. */
  degrees: number;
};

/** The distance by the time of the echo and the temperature of the air; as the sensor says, when one of them is not known. */
export function distanceAt(track: Track, sample: number): number {
  const us = track.valueAt("echo_us", sample);
  const celsius = track.valueAt("temperature_c", sample);
  if (Number.isNaN(us) || Number.isNaN(celsius)) return track.valueAt("distance_mm", sample);
  return Math.round((us * speedOfSound(celsius)) / 2_000);
}

export const echoAt = (track: Track, sample: number): Echo => ({
  ...{ sample, tMs: track.timeAt(sample), mm: distanceAt(track, sample) },
  us: track.valueAt("echo_us", sample),
  degrees: track.valueAt("angle_deg", sample),
});

export const isLost = ({ mm }: Pick<Echo, "mm">): boolean => Number.isNaN(mm);

/** How many pings of these times came back, and how many did not. */
export function countLost(track: Track, [fromMs, toMs]: Range): { lost: number; of: number } {
  let [lost, of] = [0, 0];
  for (let sample = track.from(fromMs); sample < track.next && track.timeAt(sample) <= toMs; sample += 1) {
    of += 1;
    if (Number.isNaN(distanceAt(track, sample))) lost += 1;
  }
  return { lost, of };
}

/** `fresh`: since the sensor last turned around. `old`: the sweep before that. Both begin with the newest. */
export type Sweeps = { fresh: Echo[]; old: Echo[] };

const MAX_SWEEP = 720;
const GAP_MS = 2_000;

export function sweepsAt(track: Track, sample: number): Sweeps {
  const sweeps: Sweeps = { fresh: [], old: [] };
  let way = 0;
  let turns = 0;
  for (let each = sample; each >= track.first && sample - each < MAX_SWEEP; each -= 1) {
    const echo = echoAt(track, each);
    const before = each > track.first ? track.valueAt("angle_deg", each - 1) : Number.NaN;
    if (Number.isNaN(echo.degrees)) break;
    (turns === 0 ? sweeps.fresh : sweeps.old).push(echo);
    if (echo.tMs - track.timeAt(each - 1) > GAP_MS) break;
    const now = Math.sign(echo.degrees - before);
    if (now !== 0 && way !== 0 && now !== way) turns += 1;
    if (now !== 0) way = now;
    if (turns > 1) break;
  }
  return sweeps;
}

/** The nearest thing of the last sweep, or of the last pings of a sensor that does not turn. NaN: nothing answered. */
export const nearestOf = (echoes: readonly Echo[]): number =>
  echoes.reduce((nearest, { mm }) => (mm < nearest || Number.isNaN(nearest) ? mm : nearest), Number.NaN);

import type { Track } from "../../parts/plot/track.ts";
import {
  anglesOf,
  createFusion,
  type Fusion,
  type Motion,
  type Quaternion,
  quaternionOf,
  vectorOf,
} from "./attitude.ts";
import { type Calibration, corrected } from "./calibration.ts";
import { driftPerHour, noiseDensity } from "./figures.ts";

export function motionAt(track: Track, sample: number): Motion | undefined {
  const accel = vectorOf(track.dataAt("accel_m_s2", sample));
  const gyro = vectorOf(track.dataAt("gyro_rad_s", sample));
  return accel && gyro && { accel, gyro, mag: vectorOf(track.dataAt("mag_ut", sample)) };
}

export const deviceAt = (track: Track, sample: number): Quaternion | undefined =>
  quaternionOf(track.dataAt("q", sample));

export type Ours = {
  /** Our attitude at a sample; undefined: the device measures too little for one. */
  at(sample: number): Quaternion | undefined;
};

/** Our own fusion of what a device measures. `onMotion`: every sample on its way, once, as it was measured. */
export function followMotion(
  track: Track,
  calibration: Calibration | undefined,
  onMotion: (motion: Motion, seconds: number) => void,
): Ours {
  let fusion: Fusion = createFusion();
  let next = track.first;
  let revision = track.revision;
  let lastMs = Number.NaN;
  let q: Quaternion | undefined;
  let told = track.next;

  function begin(): void {
    fusion = createFusion();
    next = track.first;
    revision = track.revision;
    lastMs = Number.NaN;
    q = undefined;
  }

  return {
    at(sample) {
      if (revision !== track.revision || sample < next - 1) begin();
      for (next = Math.max(next, track.first); next <= sample && next < track.next; next += 1) {
        const motion = motionAt(track, next);
        if (!motion) continue;
        const atMs = track.timeAt(next);
        const seconds = Number.isNaN(lastMs) ? 0 : (atMs - lastMs) / 1_000;
        lastMs = atMs;
        q = fusion.step(corrected(motion, calibration), seconds);
        if (next < told) continue;
        told = next + 1;
        onMotion(motion, seconds);
      }
      return q;
    },
  };
}

/** Slower than this is still: the bias of a gyroscope is less. */
const STILL_RAD_S = 0.05;
const MIN_STILL_MS = 5_000;
const MAX_STILL_MS = 60_000;

/** `stillMs`: for how long the device has not moved. The figures need 5 s of it. */
export type Figures = { stillMs: number; driftDegH: number; noiseDegS: number };

export function figuresAt(track: Track, sample: number): Figures {
  const rates: [number, number, number][] = [];
  const yaws: [number, number][] = [];
  const toMs = track.timeAt(sample);
  let fromMs = toMs;
  for (let each = sample; each >= track.first && toMs - fromMs < MAX_STILL_MS; each -= 1) {
    const motion = motionAt(track, each);
    if (!motion || Math.hypot(...motion.gyro) > STILL_RAD_S) break;
    fromMs = track.timeAt(each);
    rates.push([...motion.gyro]);
    const q = deviceAt(track, each);
    if (q) yaws.push([(fromMs - toMs) / 1_000, anglesOf(q).yaw]);
  }
  const stillMs = toMs - fromMs;
  if (!(stillMs >= MIN_STILL_MS)) return { stillMs, driftDegH: Number.NaN, noiseDegS: Number.NaN };
  const periodS = stillMs / 1_000 / (rates.length - 1);
  const noises = [0, 1, 2].map((axis) =>
    noiseDensity(
      rates.map((rate) => rate[axis] ?? 0),
      periodS,
    ),
  );
  return {
    stillMs,
    driftDegH: yaws.length > 2 ? driftPerHour(yaws) : Number.NaN,
    noiseDegS: (Math.hypot(...noises) / Math.sqrt(3)) * (180 / Math.PI),
  };
}

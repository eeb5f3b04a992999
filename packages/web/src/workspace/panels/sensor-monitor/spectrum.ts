import type { Reader } from "../../parts/plot/envelope.ts";
import type { Track } from "../../parts/plot/track.ts";

const MAX_LENGTH = 4_096;
const MIN_LENGTH = 64;
const MAX_AVERAGED = 8;
const MAX_PEAKS = 4;
/** A peak is this much above what is around it. */
const PEAK_DB = 9;
/** Of two peaks that are closer than this share of all frequencies, the weaker one is its side. */
const APART = 0.02;

export type Spectrum = {
  rateHz: number;
  length: number;
  averaged: number;
  hz: readonly number[];
  /** 0 dB is an amplitude of 1. */
  db: readonly number[];
};

export type Peak = { hz: number; db: number; amplitude: number; words: string };

/** In place, for lengths that are powers of two. */
export function transform(real: Float64Array, imaginary: Float64Array): void {
  const { length } = real;
  for (let i = 1, j = 0; i < length; i += 1) {
    let bit = length >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [real[i], real[j]] = [real[j] as number, real[i] as number];
      [imaginary[i], imaginary[j]] = [imaginary[j] as number, imaginary[i] as number];
    }
  }
  for (let size = 2; size <= length; size *= 2) {
    const angle = (-2 * Math.PI) / size;
    for (let start = 0; start < length; start += size) {
      for (let k = 0; k < size / 2; k += 1) {
        const [cos, sin] = [Math.cos(angle * k), Math.sin(angle * k)];
        const [a, b] = [start + k, start + k + size / 2];
        const re = (real[b] as number) * cos - (imaginary[b] as number) * sin;
        const im = (real[b] as number) * sin + (imaginary[b] as number) * cos;
        real[b] = (real[a] as number) - re;
        imaginary[b] = (imaginary[a] as number) - im;
        real[a] = (real[a] as number) + re;
        imaginary[a] = (imaginary[a] as number) + im;
      }
    }
  }
}

/** Of the newest samples, up to a time. Hann windows, half overlapped, their powers averaged. Undefined: too few samples. */
export function spectrumOf(track: Track, read: Reader, toMs = Number.POSITIVE_INFINITY): Spectrum | undefined {
  if (track.periodMs() === undefined) return undefined;
  const end = Math.min(track.next, track.from(toMs));
  const first = Math.max(track.first, end - MAX_LENGTH * ((MAX_AVERAGED + 1) / 2));
  const length = 2 ** Math.floor(Math.log2(Math.min(MAX_LENGTH, (end - first) / 1.5)));
  if (!(length >= MIN_LENGTH)) return undefined;
  const endMs = track.timeAt(end - 1);
  // Over all of them: single steps have the jitter of the network.
  const stepMs = (endMs - track.timeAt(first)) / (end - 1 - first);
  const averaged = Math.min(MAX_AVERAGED, Math.floor((end - first - length) / (length / 2)) + 1);
  const power = new Float64Array(length / 2);
  for (let part = 0; part < averaged; part += 1) {
    const lastMs = endMs - ((part * length) / 2) * stepMs;
    addPower(power, evenly(track, read, { firstMs: lastMs - (length - 1) * stepMs, stepMs, length }));
  }
  const rateHz = 1_000 / stepMs;
  const hz = Array.from(power, (_, i) => (i * rateHz) / length);
  // A Hann window halves the amplitude, and each amplitude is in two lines.
  const db = Array.from(power, (sum) => 20 * Math.log10(Math.max(1e-12, (4 * Math.sqrt(sum / averaged)) / length)));
  return { rateHz, length, averaged, hz, db };
}

function addPower(power: Float64Array, real: Float64Array): void {
  const { length } = real;
  const mean = real.reduce((sum, value) => sum + value, 0) / length;
  for (let i = 0; i < length; i += 1) {
    real[i] = ((real[i] as number) - mean) * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / length));
  }
  const imaginary = new Float64Array(length);
  transform(real, imaginary);
  for (let i = 0; i < power.length; i += 1) {
    power[i] = (power[i] as number) + (real[i] as number) ** 2 + (imaginary[i] as number) ** 2;
  }
}

type Grid = { firstMs: number; stepMs: number; length: number };

/** Samples come when the network brings them: values between them, at even times. */
function evenly(track: Track, read: Reader, { firstMs, stepMs, length }: Grid): Float64Array {
  const made = new Float64Array(length);
  let at = Math.max(track.first, track.from(firstMs) - 1);
  let [beforeMs, before] = [track.timeAt(at), read(track, at)];
  for (let i = 0; i < length; i += 1) {
    const tMs = firstMs + i * stepMs;
    while (at < track.next - 1 && track.timeAt(at) < tMs) {
      const value = read(track, at);
      if (!Number.isNaN(value)) [beforeMs, before] = [track.timeAt(at), value];
      at += 1;
    }
    const [afterMs, after] = [track.timeAt(at), read(track, at)];
    const share = afterMs > beforeMs ? (tMs - beforeMs) / (afterMs - beforeMs) : 1;
    const value = Number.isNaN(after) ? before : before + (after - before) * Math.max(0, Math.min(1, share));
    made[i] = Number.isNaN(value) ? 0 : value;
  }
  return made;
}

/** The strongest lines, between two lines by a parabola, with what they are of the first. */
export function peaksOf({ hz, db }: Spectrum): Peak[] {
  const found: Peak[] = [];
  const floor = medianOf(db);
  for (let i = 2; i < db.length - 1; i += 1) {
    const [before, at, after] = [db[i - 1] as number, db[i] as number, db[i + 1] as number];
    if (at <= before || at < after || at < floor + PEAK_DB) continue;
    const shift = (before - after) / (2 * (before - 2 * at + after));
    const top = at - ((before - after) * shift) / 4;
    const step = (hz[1] as number) - (hz[0] as number);
    found.push({ hz: ((hz[i] as number) / step + shift) * step, db: top, amplitude: 10 ** (top / 20), words: "" });
  }
  const step = (hz[1] ?? 1) - (hz[0] ?? 0);
  const apart = Math.max(4 * step, APART * (hz.at(-1) ?? 0));
  const strongest: Peak[] = [];
  for (const peak of found.sort((a, b) => b.db - a.db)) {
    if (strongest.some((other) => Math.abs(other.hz - peak.hz) < apart)) continue;
    strongest.push({ ...peak, words: wordsOf(peak, strongest, step) });
    if (strongest.length === MAX_PEAKS) break;
  }
  return strongest;
}

const RPM_PER_HZ = 60;

function wordsOf(peak: Peak, stronger: readonly Peak[], step: number): string {
  for (const base of stronger) {
    const times = Math.round(peak.hz / base.hz);
    if (times >= 2 && Math.abs(peak.hz - times * base.hz) < 2 * step) return `${times} × ${base.hz.toFixed(1)} Hz`;
  }
  return `${Math.round(peak.hz * RPM_PER_HZ).toLocaleString("en")} turns per minute`;
}

const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

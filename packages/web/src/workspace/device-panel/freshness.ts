import type { DeviceState } from "@backplane/contract/devices";
import type { Tone } from "../../parts/state.tsx";
import { clock } from "../../parts/times.ts";

const MAX_TIMES = 64;
/** A page that was busy is no reason to call values old. */
const NEVER_STALE_BEFORE_MS = 1_000;

export type Freshness = { ageMs: number | undefined; rateHz: number | undefined; isStale: boolean };

/** How old the last value is, and how often values come. */
export function createFreshness() {
  let times: number[] = [];
  return {
    take(tMs: readonly number[]): void {
      const first = tMs[0];
      if (first === undefined) return;
      times = [...times.filter((time) => time < first), ...tMs].slice(-MAX_TIMES);
    },
    forget(): void {
      times = [];
    },
    read(nowMs: number): Freshness {
      const last = times.at(-1);
      if (last === undefined) return { ageMs: undefined, rateHz: undefined, isStale: false };
      const ageMs = Math.max(0, nowMs - last);
      const periodMs = times.length < 2 ? undefined : (last - (times[0] as number)) / (times.length - 1);
      const isStale = periodMs !== undefined && ageMs > Math.max(3 * periodMs, NEVER_STALE_BEFORE_MS);
      return { ageMs, rateHz: periodMs ? 1_000 / periodMs : undefined, isStale };
    },
  };
}

/** 0.2 s, 44 s, 13 min, 4 h, 2 days */
export function ageWords(ageMs: number): string {
  const seconds = ageMs / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}

/** 250 Hz, 2.5 Hz, every 10 s */
export function rateWords(rateHz: number): string {
  if (rateHz < 0.5) return `every ${Math.round(1 / rateHz)} s`;
  return `${rateHz < 9.5 ? Number(rateHz.toFixed(1)) : Math.round(rateHz)} Hz`;
}

type Seen = { state: DeviceState; lastSeenAt: string };

/** What the row of a device says about its values. */
export function freshnessWords(
  { state, lastSeenAt }: Seen,
  { ageMs, rateHz, isStale }: Freshness,
  now: Date,
): { tone: Exclude<Tone, "ok"> | undefined; words: string } {
  if (state === "lost") return { tone: "danger", words: `lost at ${clock(new Date(lastSeenAt), now)}` };
  if (state === "disconnected") return { tone: "off", words: "not connected" };
  if (ageMs === undefined) return { tone: undefined, words: "no value yet" };
  if (isStale) return { tone: "warn", words: `values ${ageWords(ageMs)} old` };
  return { tone: undefined, words: rateHz === undefined ? ageWords(ageMs) : rateWords(rateHz) };
}

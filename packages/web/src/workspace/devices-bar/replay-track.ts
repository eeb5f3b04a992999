import type { Replay } from "@backplane/contract/devices";

export const SPEEDS = [0.1, 0.5, 1, 4, 16] as const;

/** The times that a track shows, and what happened in them. */
export type Track = Pick<Replay, "startMs" | "endMs" | "marks" | "gaps">;

/** Where a time is, from 0 to 100. */
export const placeOf = ({ startMs, endMs }: Pick<Track, "startMs" | "endMs">, tMs: number): number =>
  endMs <= startMs ? 0 : Math.max(0, Math.min(100, (100 * (tMs - startMs)) / (endMs - startMs)));

/** The mark before or after a time. One that is just here is passed by. */
export function markBeside({ marks, startMs, endMs }: Track, atMs: number, side: -1 | 1): number {
  const times = marks.map(({ tMs }) => tMs);
  return side === 1
    ? (times.find((tMs) => tMs > atMs + 1) ?? endMs)
    : (times.findLast((tMs) => tMs < atMs - NEAR_MS) ?? startMs);
}
/** A replay goes on while somebody presses: back leads to the mark before this one. */
const NEAR_MS = 300;

export function nextSpeed(speed: number, side: -1 | 1): number {
  const at = SPEEDS.findIndex((each) => each >= speed);
  return SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, (at === -1 ? SPEEDS.length - 1 : at) + side))] ?? 1;
}

const two = (part: number): string => String(part).padStart(2, "0");

/** 14:28:31.250 */
export function timeWords(tMs: number): string {
  const at = new Date(tMs);
  const ms = String(at.getMilliseconds()).padStart(3, "0");
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${ms}`;
}

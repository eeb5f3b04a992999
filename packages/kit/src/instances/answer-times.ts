import type { Clock } from "../clock.ts";

const MINUTE_MS = 60_000;
/** How far back they go. */
export const ANSWER_MINUTES = 10;

export type AnswerTimes = {
  add(answerMs: number): void;
  /** The slowest answer of each minute, the oldest first. Null: nothing was answered in that minute. */
  read(): (number | null)[];
};

/** How fast the database answers an instance: its own load and its way to the database are in it. */
export function createAnswerTimes(now: Clock): AnswerTimes {
  const minuteNow = () => Math.floor(now() / MINUTE_MS);
  const slowest = new Map<number, number>();
  let firstMinute: number | undefined;
  return {
    add(answerMs) {
      const minute = minuteNow();
      firstMinute ??= minute;
      slowest.set(minute, Math.max(slowest.get(minute) ?? 0, Math.round(answerMs * 10) / 10));
      for (const known of slowest.keys()) if (known <= minute - ANSWER_MINUTES) slowest.delete(known);
    },
    read() {
      if (firstMinute === undefined) return [];
      const last = minuteNow();
      const first = Math.max(firstMinute, last - ANSWER_MINUTES + 1);
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, nth) => slowest.get(first + nth) ?? null);
    },
  };
}

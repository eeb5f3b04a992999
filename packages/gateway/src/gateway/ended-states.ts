import type { Clock } from "@backplane/kit/clock";
import type { Standing } from "./registration-status.ts";

export type EndedStates = {
  add(key: string, standing: Standing): void;
  get(key: string): Standing | undefined;
  forget(key: string): void;
  entries(): Iterable<[key: string, standing: Standing]>;
};

/**
 * How states ended, for at least `memoryMs` unless there are too many. Two generations instead of an order of entries:
 * when the young one is old or full it becomes the old one, and the old one is dropped whole.
 */
export function createEndedStates({
  now,
  memoryMs,
  maxRemembered,
}: {
  now: Clock;
  memoryMs: number;
  maxRemembered: number;
}): EndedStates {
  let young = new Map<string, Standing>();
  let old = new Map<string, Standing>();
  let turnedAtMs = now();

  function turn(): void {
    const nowMs = now();
    if (young.size < maxRemembered && nowMs - turnedAtMs < memoryMs) return;
    old = nowMs - turnedAtMs < 2 * memoryMs ? young : new Map();
    young = new Map();
    turnedAtMs = nowMs;
  }

  return {
    add(key, standing) {
      turn();
      young.set(key, standing);
    },
    get(key) {
      turn();
      return young.get(key) ?? old.get(key);
    },
    forget(key) {
      young.delete(key);
      old.delete(key);
    },
    entries: () => [...old, ...young],
  };
}

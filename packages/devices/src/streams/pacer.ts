import type { Clock } from "@backplane/kit/clock";

/** How fast our time follows a camera whose clock is slower, in parts of the time that passes. */
const FOLLOW = 0.0002;
/** A clock that jumps further than this was set anew. */
const JUMP_MS = 5_000;

/**
 * The time of pictures by our clock, from their time by the clock of the camera: as early as they ever come, so that what
 * is late shows as delay. It never goes back, also when the camera is connected again.
 */
export function createPacer(now: Clock): { of(tMs: number): number; restart(): void } {
  let offset: number | undefined;
  let lastNow = 0;
  let last = 0;
  return {
    of(tMs) {
      const at = now();
      const seen = at - tMs;
      if (offset === undefined || Math.abs(seen - offset) > JUMP_MS) offset = seen;
      else offset = Math.min(seen, offset + FOLLOW * Math.max(0, at - lastNow));
      lastNow = at;
      last = Math.max(tMs + offset, last + 1);
      return last;
    },
    restart() {
      offset = undefined;
    },
  };
}

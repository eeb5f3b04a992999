import { DEVICES_LIMITS, type Replay } from "@backplane/contract/devices";
import type { Clock } from "@backplane/kit/clock";

const { minSpeed, maxSpeed } = DEVICES_LIMITS;

/** How a replay is changed: what is not given stays. */
export type ReplayChange = { atMs?: number | undefined; speed?: number | undefined; loop?: boolean | undefined };

/** What time it is in a replay. It never leaves the recording. */
export type ReplayClock = {
  at(): number;
  state(): Pick<Replay, "atMs" | "sinceMs" | "speed" | "loop">;
  set(change: ReplayChange): void;
};

export function createReplayClock({ startMs, endMs }: { startMs: number; endMs: number }, now: Clock): ReplayClock {
  const inside = (ms: number) => Math.min(endMs, Math.max(startMs, ms));
  let state = { atMs: startMs, sinceMs: now(), speed: 0, loop: false };
  const at = () => inside(state.atMs + Math.max(0, now() - state.sinceMs) * state.speed);
  return {
    at,
    state: () => ({ ...state }),
    set({ atMs, speed = state.speed, loop = state.loop }) {
      state = {
        ...{ atMs: atMs === undefined ? at() : inside(atMs), sinceMs: now(), loop },
        speed: speed === 0 ? 0 : Math.min(maxSpeed, Math.max(minSpeed, speed)),
      };
    },
  };
}

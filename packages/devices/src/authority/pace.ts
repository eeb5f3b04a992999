import { DEVICES_LIMITS } from "@backplane/contract/devices";

const { commandsPerSecond } = DEVICES_LIMITS;
/** How many actors are remembered before those are forgotten that could use their whole rate again. */
const MAX_REMEMBERED = 64;

/** The commands per second of each actor (generic cell rate algorithm). */
export function createPace() {
  const intervalMs = 1_000 / commandsPerSecond;
  /** When each would be at rest again. */
  const restMs = new Map<string, number>();
  return {
    take(key: string, nowMs: number): boolean {
      if (restMs.size > MAX_REMEMBERED) for (const [one, rest] of restMs) if (rest <= nowMs) restMs.delete(one);
      const fromMs = Math.max(restMs.get(key) ?? 0, nowMs);
      if (fromMs + intervalMs - nowMs > 1_000) return false;
      restMs.set(key, fromMs + intervalMs);
      return true;
    },
  };
}

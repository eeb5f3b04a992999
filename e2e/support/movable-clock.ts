/**
 * Loaded into a process by `MOVABLE_CLOCK`: each SIGUSR2 moves its clock on by more than a sign-in link lives. Timers
 * stay as they are: what ends by the clock has to look at it.
 */
const STEP_MS = 16 * 60_000;

const readClock = Date.now;
let aheadMs = 0;
Date.now = () => readClock() + aheadMs;
process.on("SIGUSR2", () => {
  aheadMs += STEP_MS;
});

export const MOVABLE_CLOCK: NodeJS.ProcessEnv = { NODE_OPTIONS: `--import=${import.meta.url}` };

/**
 * Loaded into a process by `MOVABLE_CLOCK`: each SIGUSR2 moves its clock, past the lifetime of a sign-in link unless
 * `CLOCK_STEP_MS` is set. Timers are not affected: code must check the clock to expire anything.
 */
const STEP_MS = Number(process.env.CLOCK_STEP_MS ?? 16 * 60_000);

const readClock = Date.now;
let aheadMs = 0;
Date.now = () => readClock() + aheadMs;
process.on("SIGUSR2", () => {
  aheadMs += STEP_MS;
});

export const MOVABLE_CLOCK: NodeJS.ProcessEnv = { NODE_OPTIONS: `--import=${import.meta.url}` };

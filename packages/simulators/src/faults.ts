/** What a simulator does wrong when it is asked to. */
export const FAULTS = {
  lost: "breaks its connection without a goodbye, and stays away",
  lying: "says that it did what it was told, and does nothing",
  silent: "answers no command",
  flooding: "sends a hundred times as often as it should",
  "wrong-clock": "has a clock that is an hour slow and jumps",
  "bad-json": "sends text that is not JSON, and numbers that are none",
} as const;
export type Fault = keyof typeof FAULTS;

const HOUR_MS = 3_600_000;
const JUMP_EVERY_MS = 7_000;

/** The time by the clock of the device. */
export function deviceTime(nowMs: number, hasWrongClock: boolean): number {
  if (!hasWrongClock) return nowMs;
  return nowMs - HOUR_MS + (Math.floor(nowMs / JUMP_EVERY_MS) % 2) * 5_000;
}

const BROKEN = ["{", '{"a":', "NaN", '{"velocity_rad_s":"fast"}', "[]", "\u0000\u0001", '{"x":1e999}'];

/** The next thing that is no sample. */
export const brokenSample = (count: number): string => BROKEN[count % BROKEN.length] ?? "{";

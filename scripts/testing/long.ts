/**
 * Whether this is `npm run test:long`: measures of quality in full, every place of a kill, long random runs. `npm test`
 * tries a part of each.
 */
export const isLongRun = process.env.TEST_LONG === "1";

/** Every `step`-th, beginning at `from`; in a long run all. */
export function someOf<T>(all: readonly T[], step: number, from = 0): readonly T[] {
  return isLongRun ? all : all.filter((_, index) => index % step === from % step);
}

/** Random trials of a law: as many as given in a long run, a tenth of them else. */
export function trials(inLongRun: number): number {
  return isLongRun ? inLongRun : Math.ceil(inLongRun / 10);
}

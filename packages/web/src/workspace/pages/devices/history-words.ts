import type { KeptHistory } from "@backplane/contract/devices";

const [MINUTE_S, HOUR_S, DAY_S, YEAR_S] = [60, 3_600, 86_400, 31_536_000];

const everyWords = (everyS: number): string =>
  everyS < MINUTE_S ? "every second" : everyS < HOUR_S ? "every minute" : "every hour";

function forWords(forS: number): string {
  if (forS <= DAY_S) return `${Math.round(forS / HOUR_S)} hours`;
  const years = forS / YEAR_S;
  if (years >= 1 && Number.isInteger(years)) return years === 1 ? "1 year" : `${years} years`;
  return `${Math.round(forS / DAY_S)} days`;
}

/** Every second for 24 hours, every minute for 30 days. What is kept no longer than something finer is not said. */
export const keptWords = (kept: readonly KeptHistory[]): string =>
  kept
    .filter(({ forS }, place) => forS > (kept[place - 1]?.forS ?? 0))
    .map(({ everyS, forS }) => `${everyWords(everyS)} for ${forWords(forS)}`)
    .join(", ");

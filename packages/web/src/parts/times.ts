const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

const two = (part: number): string => String(part).padStart(2, "0");

const monthOf = (at: Date): string => months[at.getMonth()] ?? "";

const sameDay = (a: Date, b: Date): boolean => a.toDateString() === b.toDateString();

/** By calendar: a day may have 23 or 25 hours. */
const daysLater = (at: Date, days: number): Date => new Date(at.getFullYear(), at.getMonth(), at.getDate() + days);

const hour = (at: Date): string => `${two(at.getHours())}:${two(at.getMinutes())}`;

/** "today", "yesterday" or "tomorrow"; undefined for other days. */
function dayWord(at: Date, now: Date): string | undefined {
  if (sameDay(at, now)) return "today";
  if (sameDay(at, daysLater(now, -1))) return "yesterday";
  return sameDay(at, daysLater(now, 1)) ? "tomorrow" : undefined;
}

/** 14:02 for today, else 5 Nov 14:02. */
export function clock(at: Date, now: Date): string {
  return sameDay(at, now) ? hour(at) : `${at.getDate()} ${monthOf(at).slice(0, 3)} ${hour(at)}`;
}

/** 14:30:52 */
export const clockWithSeconds = (at: Date): string => `${hour(at)}:${two(at.getSeconds())}`;

/** 13 Feb 2027 */
export const shortDate = (at: Date): string => `${at.getDate()} ${monthOf(at).slice(0, 3)} ${at.getFullYear()}`;

/** 13 February 2027 */
export const longDate = (at: Date): string => `${at.getDate()} ${monthOf(at)} ${at.getFullYear()}`;

const secondsBetween = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / 1_000;

/** When something was last used: now, 2 min ago, 14:09, yesterday, 9 Feb 2027. */
export function lastUse(at: Date, now: Date): string {
  const seconds = secondsBetween(at, now);
  if (seconds < MINUTE_S) return "now";
  if (seconds < HOUR_S) return `${Math.floor(seconds / MINUTE_S)} min ago`;
  const word = dayWord(at, now);
  return word === "today" ? hour(at) : (word ?? shortDate(at));
}

/** When something happened: just now, today 14:02, yesterday 14:02, 9 Feb 2027. */
export function happened(at: Date, now: Date): string {
  if (secondsBetween(at, now) < MINUTE_S) return "just now";
  const word = dayWord(at, now);
  return word ? `${word} ${hour(at)}` : shortDate(at);
}

/** When something ends: today 15:20, tomorrow 15:20, then its date as `date` writes it. */
export function ends(at: Date, now: Date, date: (at: Date) => string = shortDate): string {
  const word = dayWord(at, now);
  return word ? `${word} ${hour(at)}` : date(at);
}

const units: readonly [seconds: number, one: string, many: string][] = [
  [DAY_S, "day", "days"],
  [HOUR_S, "hour", "hours"],
  [MINUTE_S, "minute", "minutes"],
  [1, "second", "seconds"],
];

/** A length of time in its largest whole unit: 90 days, 36 hours, 1 minute. */
export function lengthOf(seconds: number): string {
  const unit = units.find(([size]) => seconds >= 2 * size || seconds === size) ?? units[3];
  if (!unit) return "";
  const [size, one, many] = unit;
  const amount = Math.round(seconds / size);
  return `${amount} ${amount === 1 ? one : many}`;
}

/** How long to wait, rounded up: 40 seconds, 3 minutes. */
export function waitOf(seconds: number): string {
  const size = seconds > 90 * MINUTE_S ? HOUR_S : seconds > 90 ? MINUTE_S : 1;
  return lengthOf(Math.max(1, Math.ceil(seconds / size)) * size);
}

/** What is left on a countdown: 14:20. */
export function countdown(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1_000));
  return `${Math.floor(seconds / MINUTE_S)}:${two(seconds % MINUTE_S)}`;
}

const MINUS = "−";

/** With this many digits after the point, a true minus, and commas from 1,000 on. */
export function numberWords(value: number, digits = 0, { thousands = true } = {}): string {
  if (!Number.isFinite(value)) return "–";
  const fixed = Math.abs(value).toFixed(digits);
  const [whole = "", rest] = fixed.split(".");
  const grouped = thousands && !whole.includes("e") ? inThousands(whole) : whole;
  return `${value < 0 && Number(fixed) !== 0 ? MINUS : ""}${grouped}${rest === undefined ? "" : `.${rest}`}`;
}

function inThousands(digits: string): string {
  let grouped = digits.slice(-3);
  for (let end = digits.length - 3; end > 0; end -= 3)
    grouped = `${digits.slice(Math.max(0, end - 3), end)},${grouped}`;
  return grouped;
}

/** With its sign. */
export const changeWords = (value: number, digits = 0): string =>
  `${value > 0 && Number(value.toFixed(digits)) > 0 ? "+" : ""}${numberWords(value, digits)}`;

/** A space before the unit, none before a degree without a letter. */
export const withUnit = (words: string, unit: string | undefined): string =>
  unit === undefined || unit === "" ? words : unit === "°" ? `${words}°` : `${words} ${unit}`;

const MAX_DIGITS = 4;

/** How many digits after the point the sensor gives: as many as its own numbers have, at most four. */
export function digitsOf(values: Iterable<number>): number {
  let digits = 0;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    const text = String(value);
    const point = text.indexOf(".");
    if (text.includes("e-")) return MAX_DIGITS;
    if (point >= 0) digits = Math.max(digits, Math.min(MAX_DIGITS, text.length - point - 1));
    if (digits === MAX_DIGITS) break;
  }
  return digits;
}

const pad = (value: number): string => String(value).padStart(2, "0");

/** The time of day in the reader's zone. `digits`: of a second; −1: only hours and minutes. */
export function timeWords(tMs: number, digits = 0): string {
  const time = new Date(tMs);
  const minutes = `${pad(time.getHours())}:${pad(time.getMinutes())}`;
  if (digits < 0) return minutes;
  const fraction = digits === 0 ? "" : `.${String(time.getMilliseconds()).padStart(3, "0").slice(0, digits)}`;
  return `${minutes}:${pad(time.getSeconds())}${fraction}`;
}

const DAY_MS = 86_400_000;

/** Labels of an axis carry only what changes. */
export function tickWords(tMs: number, spanMs: number): string {
  if (spanMs > 2 * DAY_MS) return new Date(tMs).toLocaleDateString(undefined, { day: "numeric", month: "short" });
  return timeWords(tMs, spanMs <= 600_000 ? 0 : -1);
}

/** 12 ms, 2.6 s, 44 s, 13 min 09 s, 4 h 57 min. */
export function durationWords(ms: number): string {
  if (ms <= 0) return "0 s";
  if (ms < 100) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${pad(Math.floor(seconds % 60))} s`;
  return `${Math.floor(minutes / 60)} h ${pad(minutes % 60)} min`;
}

import { isLongRun } from "../testing/long.ts";
import { type Attack, attacksOn } from "./attacks.ts";

/** The first ones grow slowly: an expression whose time doubles with every character must be noticed before it hangs. */
const SHORT_LENGTHS = [16, 20, 24, 32, 40, 52, 68, 88, 114, 148, 192];
const LENGTHS = [...SHORT_LENGTHS, ...(isLongRun ? [384, 768, 1_536, 24_576] : [768, 2_048, 6_144])];
/** Linear expressions stay far below this, also those with a limited repetition that starts anywhere. */
const FIXED_MS = 2;
const MS_PER_CHARACTER = 0.000_5;
/** Something else may have taken the time: the least of several counts, unless it is far above the limit. */
const REPEATS = 5;
const FAR_ABOVE = 50;

/** On a fast machine a quadratic expression may stay below the limit: for four times the text it takes 16 times as long. */
const NOTICEABLE_MS = 1;
const TIMES_LONGER = 4;
const MORE_THAN_LINEAR = 8;

export type Slow = { attack: Attack; characters: number; ms: number };

/** A text on which the expression takes more than linear time on this engine; undefined if none was found. */
export function findSlowText(source: string, flags: string): Slow | undefined {
  const expression = new RegExp(source, flags);
  for (const attack of attacksOn(source, flags)) {
    // Twice, because a busy machine makes everything slow for a moment.
    const slow = slowBy(expression, attack) && slowBy(expression, attack);
    if (slow) return slow;
  }
  return undefined;
}

function slowBy(expression: RegExp, attack: Attack): Slow | undefined {
  let ms = 0;
  for (const length of LENGTHS) {
    const text = textOf(attack, length);
    const limitMs = FIXED_MS + text.length * MS_PER_CHARACTER;
    // Reading the clock is cheap, and processor time is never more: most texts need no other measurement.
    ms = elapsedMs(expression, text);
    if (ms <= limitMs) continue;
    ms = matchMs(expression, text);
    for (let count = 1; count < REPEATS && ms > limitMs && ms < limitMs * FAR_ABOVE; count += 1) {
      ms = Math.min(ms, matchMs(expression, text));
    }
    if (ms > limitMs) return { attack, characters: text.length, ms: Math.round(ms) };
  }
  return ms < NOTICEABLE_MS ? undefined : findGrowth(expression, attack);
}

function findGrowth(expression: RegExp, attack: Attack): Slow | undefined {
  const length = LENGTHS.at(-1) ?? 0;
  const shortMs = leastMatchMs(expression, textOf(attack, length));
  if (shortMs < NOTICEABLE_MS) return undefined;
  const text = textOf(attack, TIMES_LONGER * length);
  const ms = leastMatchMs(expression, text);
  return ms > shortMs * MORE_THAN_LINEAR ? { attack, characters: text.length, ms: Math.round(ms) } : undefined;
}

const leastMatchMs = (expression: RegExp, text: string): number =>
  Math.min(...Array.from({ length: REPEATS }, () => matchMs(expression, text)));

/** Longer for a longer pump: an expression that can only start where it does takes fewer steps. */
function textOf({ prefix, pump, suffix }: Attack, length: number): string {
  const wanted = length * Math.sqrt(pump.length);
  return prefix + pump.repeat(Math.ceil(wanted / pump.length)) + suffix;
}

function matchMs(expression: RegExp, text: string): number {
  const before = process.threadCpuUsage();
  match(expression, text);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

function elapsedMs(expression: RegExp, text: string): number {
  const beforeMs = performance.now();
  match(expression, text);
  return performance.now() - beforeMs;
}

/** With the g flag as `replace` does it: every match counts. */
function match(expression: RegExp, text: string): void {
  expression.lastIndex = 0;
  if (expression.global) text.replace(expression, "");
  else expression.test(text);
}

export type Range = readonly [low: number, high: number];

const ROOM = 0.1;
const SHRINK_AFTER_MS = 10_000;
/** Data that needs less than this share of the axis lets it shrink. */
const SMALL = 0.6;
/** A limit that is at most this many times the data's own span away is in view. */
const REACH = 1;
/** A constant gets an axis around it, as a share of the value. */
const FLAT = 0.02;

/** The y axis: it grows at once, holds still while the data is inside, and shrinks when it has been too large for 10 s. */
export function createRange(minSpan = 0): (data: Range | undefined, limits: readonly number[], nowMs: number) => Range {
  let held: Range | undefined;
  let smallSinceMs: number | undefined;

  return (data, limits, nowMs) => {
    if (!data) return held ?? [0, 1];
    const wanted = withSpan(withRoom(withLimits(data, limits)), minSpan);
    if (!held || wanted[0] < held[0] || wanted[1] > held[1]) {
      const isInside = held && data[0] >= held[0] && data[1] <= held[1];
      if (!isInside) {
        held = held ? [Math.min(held[0], wanted[0]), Math.max(held[1], wanted[1])] : wanted;
        smallSinceMs = undefined;
      }
      return held ?? wanted;
    }
    const isSmall = wanted[1] - wanted[0] < SMALL * (held[1] - held[0]);
    smallSinceMs = isSmall ? (smallSinceMs ?? nowMs) : undefined;
    if (smallSinceMs !== undefined && nowMs - smallSinceMs >= SHRINK_AFTER_MS) {
      held = wanted;
      smallSinceMs = undefined;
    }
    return held;
  };
}

function withLimits([low, high]: Range, limits: readonly number[]): Range {
  const reach = REACH * Math.max(high - low, FLAT * Math.abs(high));
  const near = limits.filter((limit) => limit >= low - reach && limit <= high + reach);
  return [Math.min(low, ...near), Math.max(high, ...near)];
}

function withRoom([low, high]: Range): Range {
  const room = high > low ? ROOM * (high - low) : Math.max(FLAT * Math.abs(high), 0.5);
  return [low - room, high + room];
}

function withSpan([low, high]: Range, span: number): Range {
  const missing = Math.max(0, span - (high - low)) / 2;
  return [low - missing, high + missing];
}

/** 1, 2 or 5 times a power of ten. */
export function tickStep(span: number, count: number): number {
  const rough = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((each) => each * power >= rough * 0.999) ?? 10;
  return factor * power;
}

export function ticksOf([low, high]: Range, step: number): number[] {
  const made: number[] = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; n += 1)
    made.push(Number((n * step).toPrecision(12)));
  return made;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const TIME_STEPS_MS = [
  ...[1, 2, 5, 10, 30].map((each) => each * SECOND_MS),
  ...[1, 2, 5, 10, 30].map((each) => each * MINUTE_MS),
  ...[1, 3, 6, 12, 24].map((each) => each * HOUR_MS),
];

/** Times of the reader's zone, as far apart as a label needs. */
export function timeTicks([fromMs, toMs]: Range, count: number): number[] {
  const rough = (toMs - fromMs) / Math.max(1, count);
  const stepMs = TIME_STEPS_MS.find((each) => each >= rough) ?? tickStep(toMs - fromMs, count);
  const zoneMs = new Date(fromMs).getTimezoneOffset() * MINUTE_MS;
  return ticksOf([fromMs - zoneMs, toMs - zoneMs], stepMs).map((each) => each + zoneMs);
}

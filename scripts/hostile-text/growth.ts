/** A text of about this length. */
export type Shape = (length: number) => string;

/** Parses a text; what it returns or throws does not matter. */
export type Parse = (text: string) => unknown;

/** A parser that is quadratic in this many characters takes hundreds of milliseconds. */
const LENGTH = 16_384;
/** Below this, a parser is fast enough whatever its growth. */
const FINE_MS = 40;
/** A part of the text that takes longer than this is not worth waiting for the whole. */
const HOPELESS_MS = 3_000;
/** Twice the text may take at most this many times as long. */
const MAX_GROWTH = 3;
/** Each time is the least of so many: other work of the machine makes a measurement longer, never shorter. */
const ROUNDS = 5;

export const repeated =
  (pump: string, prefix = "", suffix = ""): Shape =>
  (length) =>
    prefix + pump.repeat(Math.ceil(length / pump.length)) + suffix;

/**
 * Why a parser is too slow for texts of this shape; undefined if its time grows with the length only. The text starts
 * short, so that a very slow parser fails the test instead of hanging it.
 */
export async function whyTooSlow(parse: Parse, shape: Shape, length = LENGTH): Promise<string | undefined> {
  for (let tried = length / 64; tried < length; tried *= 4) {
    if ((await cpuMs(parse, shape(tried))) > HOPELESS_MS) return `${tried} characters take too long`;
  }
  let once = Infinity;
  let twice = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    once = Math.min(once, await cpuMs(parse, shape(length)));
    if (once < FINE_MS) return undefined;
    twice = Math.min(twice, await cpuMs(parse, shape(2 * length)));
  }
  if (twice <= once * MAX_GROWTH) return undefined;
  return `twice the text takes ${(twice / once).toFixed(1)} times as long`;
}

async function cpuMs(parse: Parse, text: string): Promise<number> {
  const before = process.threadCpuUsage();
  try {
    await parse(text);
  } catch {
    // Refused, which is as good as read.
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

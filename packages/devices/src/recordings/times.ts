const NS_PER_MS = 1_000_000;

/** Exact both ways: the fraction of a millisecond is converted by itself, where a double has digits to spare. */
export function nsOf(tMs: number): bigint {
  const whole = Math.floor(tMs);
  return BigInt(whole) * BigInt(NS_PER_MS) + BigInt(Math.round((tMs - whole) * NS_PER_MS));
}

export const msOf = (ns: bigint): number => Number(ns / BigInt(NS_PER_MS)) + Number(ns % BigInt(NS_PER_MS)) / NS_PER_MS;

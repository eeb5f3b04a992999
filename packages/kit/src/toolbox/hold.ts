/** How a value is compared. The same rule runs in the page, which shows it, and in the server, which decides. */
export type Comparison =
  | { is: "<" | "<=" | ">" | ">="; than: number }
  | { is: "=" | "!="; than: number | boolean | string }
  | { is: "between"; from: number; to: number };

export function fitsComparison(compare: Comparison, value: unknown): boolean {
  if (compare.is === "=" || compare.is === "!=") {
    const isKnown = typeof value === "number" || typeof value === "boolean" || typeof value === "string";
    return isKnown && (value === compare.than) === (compare.is === "=");
  }
  if (typeof value !== "number" || !Number.isFinite(value)) return false;
  switch (compare.is) {
    case "between":
      return value >= compare.from && value <= compare.to;
    case "<":
      return value < compare.than;
    case "<=":
      return value <= compare.than;
    case ">":
      return value > compare.than;
    case ">=":
      return value >= compare.than;
  }
}

export type Held = {
  /** For how long every value fitted, by the times of the values. Null: the last one did not fit. */
  heldMs: number | null;
  lastMs: number | undefined;
  lastValue: unknown;
};

export type Hold = {
  /** In the order of time. True: with this value it has held for long enough. */
  take(tMs: number, value: unknown): boolean;
  read(): Held;
};

/**
 * Whether a value held for a time. Only values count, not the time since the last one; after a gap it begins again, because
 * nobody knows what was in between.
 */
export function createHold(compare: Comparison, holdMs: number, maxGapMs: number): Hold {
  let sinceMs: number | undefined;
  let lastMs: number | undefined;
  let lastValue: unknown;
  return {
    take(tMs, value) {
      const isGap = lastMs === undefined || tMs - lastMs > maxGapMs;
      if (!fitsComparison(compare, value)) sinceMs = undefined;
      else if (sinceMs === undefined || isGap) sinceMs = tMs;
      lastMs = tMs;
      lastValue = value;
      return sinceMs !== undefined && tMs - sinceMs >= holdMs;
    },
    read: () => ({
      heldMs: sinceMs === undefined || lastMs === undefined ? null : lastMs - sinceMs,
      ...{ lastMs, lastValue },
    }),
  };
}

export type Ring<T> = {
  push(item: T): void;
  /** Oldest first. */
  items(): readonly T[];
};

/** Keeps the newest of what it is given, up to a bound. */
export function createRing<T>(max: number): Ring<T> {
  const kept: T[] = [];
  return {
    push(item) {
      kept.push(item);
      if (kept.length > max) kept.shift();
    },
    items: () => kept,
  };
}

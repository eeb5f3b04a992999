type Bounds = {
  /** Entries of the newer generation; the map holds at most twice as many. */
  maxEntries: number;
  /** An entry is kept for at least this long (unless there are too many) and at most twice as long. */
  maxAgeMs?: number;
  now?: () => number;
};

/**
 * A map that forgets its oldest entries. It has two generations: when the newer one is full or too old, it becomes the
 * older one, and the older one is dropped as a whole. That needs no order of entries, no timer and no sweep.
 */
export class BoundedMap<Key, Value> {
  readonly #maxEntries: number;
  readonly #maxAgeMs: number;
  readonly #now: () => number;
  #newer = new Map<Key, Value>();
  #older = new Map<Key, Value>();
  #startedAtMs: number;

  constructor({ maxEntries, maxAgeMs = Number.POSITIVE_INFINITY, now = Date.now }: Bounds) {
    this.#maxEntries = maxEntries;
    this.#maxAgeMs = maxAgeMs;
    this.#now = now;
    this.#startedAtMs = now();
  }

  get(key: Key): Value | undefined {
    this.#rotate(this.#newer.size);
    return this.#newer.get(key) ?? this.#older.get(key);
  }

  /** An entry that is set again counts as new. */
  set(key: Key, value: Value): void {
    this.#rotate(this.#newer.size + 1);
    this.#newer.set(key, value);
  }

  delete(key: Key): boolean {
    const wasNewer = this.#newer.delete(key);
    return this.#older.delete(key) || wasNewer;
  }

  /** Older entries first. A key that was set again may come twice, its current value last. */
  entries(): [Key, Value][] {
    return [...this.#older, ...this.#newer];
  }

  get size(): number {
    return this.#newer.size + this.#older.size;
  }

  #rotate(entries: number): void {
    const nowMs = this.#now();
    const ageMs = nowMs - this.#startedAtMs;
    // Below zero: the clock was set back. The generation ends then, or its entries would live until the clock catches up.
    const isCurrent = ageMs >= 0 && ageMs < this.#maxAgeMs;
    if (entries <= this.#maxEntries && isCurrent) return;
    this.#older = ageMs < 2 * this.#maxAgeMs ? this.#newer : new Map();
    this.#newer = new Map();
    this.#startedAtMs = nowMs;
  }
}

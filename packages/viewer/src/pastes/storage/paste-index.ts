import type { Entry } from "./record.ts";

/** All screenshots in memory, without their texts, in the order of their ids. */
export type PasteIndex = {
  get(id: string): Entry | undefined;
  set(entry: Entry): void;
  delete(id: string): void;
  newest(): Entry | undefined;
  /** Newest first; only those older than `before`. */
  page(limit: number, before: string | undefined): { entries: Entry[]; more: boolean };
  newestFirst(): Generator<Entry>;
  /** Whether a screenshot has this name. */
  isUsed(name: string): boolean;
};

export function createPasteIndex(): PasteIndex {
  const entries = new Map<string, Entry>();
  const names = new Map<string, number>();
  /** Oldest first, so that new ones are appended. */
  const ids: string[] = [];

  /** The index of the first id that is not smaller (binary search). */
  function placeOf(id: string): number {
    let [low, high] = [0, ids.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ids[middle] ?? "") < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function count(name: string, by: 1 | -1): void {
    const sum = (names.get(name) ?? 0) + by;
    if (sum > 0) names.set(name, sum);
    else names.delete(name);
  }

  /** Goes on after the last one given, whatever was added or removed meanwhile. */
  function* newestFirst(): Generator<Entry> {
    for (let place = ids.length; place > 0; ) {
      const id = ids[place - 1] ?? "";
      const entry = entries.get(id);
      if (entry) yield entry;
      place = ids[place - 1] === id ? place - 1 : placeOf(id);
    }
  }

  return {
    get: (id) => entries.get(id),
    set(entry) {
      const before = entries.get(entry.id);
      if (before) count(before.name, -1);
      else ids.splice(placeOf(entry.id), 0, entry.id);
      entries.set(entry.id, entry);
      count(entry.name, 1);
    },
    delete(id) {
      const entry = entries.get(id);
      if (!entry) return;
      entries.delete(id);
      ids.splice(placeOf(id), 1);
      count(entry.name, -1);
    },
    newest: () => entries.get(ids.at(-1) ?? ""),
    page(limit, before) {
      const end = before === undefined ? ids.length : placeOf(before);
      const start = Math.max(0, end - limit);
      const found = ids.slice(start, end).map((id) => entries.get(id));
      return { entries: found.filter((entry) => entry !== undefined).reverse(), more: start > 0 };
    },
    newestFirst,
    isUsed: (name) => names.has(name),
  };
}

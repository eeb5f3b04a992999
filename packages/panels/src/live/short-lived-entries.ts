export type Entry = { readonly id: string; readonly value: string };

/**
 * Small values by name, each with a time to live; those of one key are read together. On every engine:
 * - `put` puts or prolongs, and answers all that are there then. Beyond `max` of a key nothing new is put.
 * - Of any number of concurrent puts no more than `max` find room.
 * - An entry that ended is as if it had never been.
 */
export type ShortLivedEntries = {
  put(key: string, entries: readonly Entry[], lifeMs: number): Promise<Entry[]>;
  remove(key: string, id: string): Promise<void>;
  list(key: string): Promise<Entry[]>;
};

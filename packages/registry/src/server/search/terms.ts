/** Every known word, sorted, and where it occurs. A place is a document number and a weight. */
export type Terms = ReturnType<typeof createTerms>;

/** A place is the document's number times this, plus the weight of the best field that contains the word. */
export const WEIGHTS = 8;

/** The places are sorted, so that one of them is found without looking at all. */
type Term = { word: string; places: number[] };

/** The words from one index up to another, in their order. */
export type Range = { from: number; to: number };

export function createTerms() {
  const terms = new Map<string, Term>();
  /** Sorted only when searched, because many words are added when the server starts. */
  let sorted: string[] = [];
  let added: string[] = [];

  function sort(): void {
    if (added.length === 0) return;
    sorted = [...sorted, ...added].sort();
    added = [];
  }

  /** The index of the first word that is not before this one. */
  const indexOf = (word: string): number => firstIndex(sorted.length, (index) => (sorted[index] as string) >= word);

  const placesAt = (index: number): readonly number[] => terms.get(sorted[index] as string)?.places ?? [];

  return {
    /** Returns the word as it was first added. Whoever keeps that one keeps no other text in memory because of it. */
    add(word: string, document: number, weight: number): string {
      const place = document * WEIGHTS + weight;
      const known = terms.get(word);
      if (known) {
        // Mostly at the end: documents are numbered as they come.
        known.places.splice(placeIndex(known.places, document), 0, place);
        return known.word;
      }
      terms.set(word, { word, places: [place] });
      added.push(word);
      return word;
    },

    remove(word: string, document: number): void {
      const known = terms.get(word)?.places;
      if (!known) return;
      const place = placeIndex(known, document);
      if (documentOf(known[place]) !== document) return;
      known.splice(place, 1);
      if (known.length > 0) return;
      terms.delete(word);
      sort();
      sorted.splice(indexOf(word), 1);
    },

    /** The words that begin with this prefix. They change when words are added or removed. */
    range(prefix: string): Range {
      sort();
      const from = indexOf(prefix);
      return { from, to: from + firstIndex(sorted.length - from, (at) => !sorted[from + at]?.startsWith(prefix)) };
    },

    /** How many places these words have; it stops counting when there are more than `enough`. */
    count({ from, to }: Range, enough: number): number {
      let count = 0;
      for (let index = from; index < to && count <= enough; index += 1) count += placesAt(index).length;
      return count;
    },

    /** Calls back with the places of each of these words, and whether it is the whole prefix. */
    each({ from, to }: Range, prefix: string, call: (places: readonly number[], isWhole: boolean) => void): void {
      for (let index = from; index < to; index += 1) call(placesAt(index), sorted[index]?.length === prefix.length);
    },

    /** The weight of a word in a document that has it. */
    weightOf(word: string, document: number): number {
      const places = terms.get(word)?.places ?? [];
      return (places[placeIndex(places, document)] ?? 0) % WEIGHTS;
    },

    size: (): number => terms.size,
  };
}

const documentOf = (place = -1): number => Math.floor(place / WEIGHTS);

/** Where the document is among sorted places, or would be. */
const placeIndex = (places: readonly number[], document: number): number => {
  const last = places.length - 1;
  if ((places[last] ?? -1) < document * WEIGHTS) return last + 1;
  return firstIndex(places.length, (index) => (places[index] as number) >= document * WEIGHTS);
};

/** The first index for which something is true that stays true from there on; `length` if there is none. */
function firstIndex(length: number, isTrue: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isTrue(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

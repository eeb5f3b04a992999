/** Every known word, sorted, and where it occurs. A place is a document number and a weight. */
export type Terms = ReturnType<typeof createTerms>;

/** A place is the document's number times this, plus the weight of the best field that contains the word. */
export const WEIGHTS = 8;

type Term = { word: string; places: number[] };

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
  function indexOf(word: string): number {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle] as string) < word) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    /** Returns the word as it was first added. Whoever keeps that one keeps no other text in memory because of it. */
    add(word: string, document: number, weight: number): string {
      const place = document * WEIGHTS + weight;
      const known = terms.get(word);
      if (known) {
        known.places.push(place);
        return known.word;
      }
      terms.set(word, { word, places: [place] });
      added.push(word);
      return word;
    },

    remove(word: string, document: number): void {
      const known = terms.get(word)?.places;
      if (!known) return;
      const place = known.findIndex((one) => (one - (one % WEIGHTS)) / WEIGHTS === document);
      if (place < 0) return;
      known[place] = known.at(-1) as number;
      known.pop();
      if (known.length > 0) return;
      terms.delete(word);
      sort();
      sorted.splice(indexOf(word), 1);
    },

    /** Calls back with the places of every word that begins with this prefix, and whether it is the whole word. */
    find(prefix: string, each: (places: readonly number[], isWhole: boolean) => void): void {
      sort();
      for (let index = indexOf(prefix); index < sorted.length; index += 1) {
        const word = sorted[index] as string;
        if (!word.startsWith(prefix)) return;
        each(terms.get(word)?.places ?? [], word.length === prefix.length);
      }
    },

    size: (): number => terms.size,
  };
}

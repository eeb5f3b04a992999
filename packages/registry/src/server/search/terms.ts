/** Every known word, sorted, and where it occurs. A place is a document number and a weight. */
export type Terms = ReturnType<typeof createTerms>;

/** A place is the document's number times this, plus the weight of the best field that contains the word. */
export const WEIGHTS = 8;

export function createTerms() {
  const places = new Map<string, number[]>();
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
    add(word: string, document: number, weight: number): void {
      const place = document * WEIGHTS + weight;
      const known = places.get(word);
      if (known) {
        known.push(place);
        return;
      }
      places.set(word, [place]);
      added.push(word);
    },

    remove(word: string, document: number): void {
      const known = places.get(word);
      if (!known) return;
      const place = known.findIndex((one) => (one - (one % WEIGHTS)) / WEIGHTS === document);
      if (place < 0) return;
      known[place] = known.at(-1) as number;
      known.pop();
      if (known.length > 0) return;
      places.delete(word);
      sort();
      sorted.splice(indexOf(word), 1);
    },

    /** Calls back with the places of every word that begins with this prefix, and whether it is the whole word. */
    find(prefix: string, each: (places: readonly number[], isWhole: boolean) => void): void {
      sort();
      for (let index = indexOf(prefix); index < sorted.length; index += 1) {
        const word = sorted[index] as string;
        if (!word.startsWith(prefix)) return;
        each(places.get(word) ?? [], word.length === prefix.length);
      }
    },

    size: (): number => places.size,
  };
}

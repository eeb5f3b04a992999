import type { PackageType } from "@backplane/contract/registry";
import { byCodeUnit } from "../../values.ts";
import { createTerms, type Range, WEIGHTS } from "./terms.ts";
import { type Searched, weightedWords, wholeOf, wordsOf } from "./words.ts";

/** Further words of a query are ignored. */
const MAX_WORDS = 8;

export type Query = {
  q: string;
  type?: PackageType | undefined;
  ownerId?: string | undefined;
  offset?: number;
  limit?: number;
};

export type Found = { total: number; keys: string[] };

type Waiting = { pkg: Searched; ownerId: string };

type Document = { key: string; type: PackageType; ownerId: string; words: readonly string[] };

/** A word of a query, and the words that begin with it. */
type Wanted = { prefix: string; range: Range };

/** Looking through the words of a document takes about as long as looking at so many places of a word. */
const PLACES_PER_DOCUMENT = 64;

const scoreOf = (weight: number, isWhole: boolean): number => weight * 2 + (isWhole ? 1 : 0);

/** Greater than any sum of the words' scores. */
const EXACT_IDENTIFIER = 1_024;
/** A score is below 2^12 and a rank below 2^31, so both fit into one number that sorts fast. */
const RANKS = 2 ** 31;

/**
 * Packages by words. Every word of a query must occur, either whole or as the beginning of a word, because people see
 * results while they type. The best field counts, and a whole word counts more than a beginning; after that come
 * packages with more downloads, and then names.
 */
export class SearchIndex {
  readonly #terms = createTerms();
  /** Whose words are not added yet. They are with the next search, because a server that starts has more urgent work. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #documents: (Document | undefined)[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #free: number[] = [];
  /** The place of each document when nothing else decides, and the document at each place. */
  #ranks = new Uint32Array();
  #ranked: number[] = [];
  #downloadsOf: (key: string) => number = () => 0;
  #isRanked = false;
  #scores = new Uint16Array();
  #marks = new Uint32Array();
  #best = new Uint8Array();

  /** Adds a package, or replaces it. `key` is its identifier in lower case. */
  set(key: string, pkg: Searched, ownerId: string): void {
    this.delete(key);
    this.#waiting.set(key, { pkg, ownerId });
  }

  /** Adds the words of at most so many packages that wait for it. False if none is left. */
  addWords(most: number): boolean {
    for (const [key, waiting] of this.#waiting.entries().take(most)) {
      this.#waiting.delete(key);
      this.#add(key, waiting);
    }
    return this.#waiting.size > 0;
  }

  delete(key: string): void {
    this.#waiting.delete(key);
    const number = this.#numbers.get(key);
    if (number === undefined) return;
    for (const word of this.#documents[number]?.words ?? []) this.#terms.remove(word, number);
    this.#documents[number] = undefined;
    this.#numbers.delete(key);
    this.#free.push(number);
    this.#isRanked = false;
  }

  /** Ranks by downloads, which are asked for now and whenever packages change. */
  rankBy(downloadsOf: (key: string) => number): void {
    this.#downloadsOf = downloadsOf;
    this.#isRanked = false;
  }

  /** How many packages match, and the keys of one page of them, best first. */
  search({ q, type, ownerId, offset = 0, limit = Number.POSITIVE_INFINITY }: Query): Found {
    this.addWords(this.#waiting.size);
    this.#rank();
    const words = [...new Set(wordsOf(q))].slice(0, MAX_WORDS);
    // Punctuation alone has no words, and matches nothing.
    const found = words.length > 0 ? this.#matching(words) : q.trim() === "" ? this.#ranked : [];
    const isWanted = (number: number) => {
      const document = this.#documents[number];
      return (
        (type === undefined || document?.type === type) && (ownerId === undefined || document?.ownerId === ownerId)
      );
    };
    const wanted = type === undefined && ownerId === undefined ? found : found.filter(isWanted);
    const page =
      words.length === 0 ? wanted.slice(offset, offset + limit) : this.#inOrder(wanted, wholeOf(q), offset, limit);
    return { total: wanted.length, keys: page.map((number) => this.#documents[number]?.key ?? "") };
  }

  get size(): number {
    return this.#numbers.size + this.#waiting.size;
  }

  #add(key: string, { pkg, ownerId }: Waiting): void {
    const number = this.#free.pop() ?? this.#documents.length;
    const words = Array.from(weightedWords(pkg), ([word, weight]) => this.#terms.add(word, number, weight));
    this.#documents[number] = { key, type: pkg.type, ownerId, words };
    this.#numbers.set(key, number);
    this.#isRanked = false;
  }

  #rank(): void {
    if (this.#isRanked) return;
    this.#isRanked = true;
    const count = this.#documents.length;
    const entries = Array.from(this.#numbers, ([key, number]) => ({ key, number, downloads: this.#downloadsOf(key) }));
    entries.sort((a, b) => b.downloads - a.downloads || byCodeUnit(a.key, b.key));
    this.#ranked = entries.map(({ number }) => number);
    this.#ranks = new Uint32Array(count);
    for (const [place, number] of this.#ranked.entries()) this.#ranks[number] = place;
    this.#scores = new Uint16Array(count);
    this.#marks = new Uint32Array(count);
    this.#best = new Uint8Array(count);
  }

  /**
   * The documents that have every word; their scores are in `#scores`. It begins with the rarest word, so that a common
   * one beside it costs nothing: the more packages there are, the more of them have a common word.
   */
  #matching(words: readonly string[]): number[] {
    const [rarest, ...others] = this.#rarestFirst(words);
    if (rarest === undefined) return [];
    this.#marks.fill(0);
    let found = this.#having(rarest, 0);
    for (const [index, word] of others.entries()) {
      if (found.length === 0) return found;
      const enough = found.length * PLACES_PER_DOCUMENT;
      const isCommon = this.#terms.count(word.range, enough) > enough;
      found = isCommon ? this.#keeping(found, word.prefix) : this.#having(word, index + 1);
    }
    return found;
  }

  #rarestFirst(words: readonly string[]): Wanted[] {
    const wanted = words.map((prefix): Wanted => ({ prefix, range: this.#terms.range(prefix) }));
    // Each word has a place or more, so few words are counted fast, and others only until there are more.
    wanted.sort((a, b) => a.range.to - a.range.from - (b.range.to - b.range.from));
    let [rarest, fewest] = [0, Number.POSITIVE_INFINITY];
    for (const [index, { range }] of wanted.entries()) {
      const count = this.#terms.count(range, fewest);
      if (count < fewest) [rarest, fewest] = [index, count];
    }
    return [...wanted.splice(rarest, 1), ...wanted];
  }

  /** Of the documents with all words before this one, which are marked: those that have it, by its places. */
  #having({ prefix, range }: Wanted, turn: number): number[] {
    const [scores, marks, best] = [this.#scores, this.#marks, this.#best];
    const next: number[] = [];
    this.#terms.each(range, prefix, (places, isWhole) => {
      for (const place of places) {
        const weight = place % WEIGHTS;
        const document = (place - weight) / WEIGHTS;
        const score = scoreOf(weight, isWhole);
        if (marks[document] === turn) {
          marks[document] = turn + 1;
          best[document] = score;
          next.push(document);
        } else if (marks[document] === turn + 1 && score > (best[document] as number)) best[document] = score;
      }
    });
    for (const document of next) {
      scores[document] = (turn === 0 ? 0 : (scores[document] as number)) + (best[document] as number);
    }
    return next;
  }

  /** The same for a word with many more places: by the words of each document. */
  #keeping(found: readonly number[], prefix: string): number[] {
    const [scores, marks] = [this.#scores, this.#marks];
    return found.filter((document) => {
      let best = 0;
      for (const word of this.#documents[document]?.words ?? []) {
        if (!word.startsWith(prefix)) continue;
        best = Math.max(best, scoreOf(this.#terms.weightOf(word, document), word.length === prefix.length));
      }
      if (best === 0) return false;
      scores[document] = (scores[document] as number) + best;
      marks[document] = (marks[document] as number) + 1;
      return true;
    });
  }

  #inOrder(found: readonly number[], whole: string, offset: number, limit: number): number[] {
    const exact = this.#numbers.get(whole);
    const sortable = new Float64Array(found.length);
    for (const [place, number] of found.entries()) {
      const score = (this.#scores[number] as number) + (number === exact ? EXACT_IDENTIFIER : 0);
      sortable[place] = score * RANKS + (RANKS - 1 - (this.#ranks[number] as number));
    }
    sortable.sort().reverse();
    const page = sortable.subarray(offset, offset + limit);
    return Array.from(page, (value) => this.#ranked[RANKS - 1 - (value % RANKS)] as number);
  }
}

import type { PackageType } from "@backplane/contract/registry";
import { byCodeUnit } from "../../values.ts";
import { createTerms, WEIGHTS } from "./terms.ts";
import { type Searched, weighedWords, wholeOf, wordsOf } from "./words.ts";

const SEARCH_LIMITS = {
  /** Words of a query that count; what follows is passed over. */
  maxWords: 8,
} as const;

export type Query = {
  q: string;
  type?: PackageType | undefined;
  ownerId?: string | undefined;
  offset?: number;
  limit?: number;
};

export type Found = { total: number; keys: string[] };

export type SearchIndex = ReturnType<typeof createSearchIndex>;

type Document = { key: string; type: PackageType; ownerId: string; words: ReadonlySet<string> };

/** Above any sum of the words' scores. */
const EXACT_IDENTIFIER = 1_024;
/** A score is below 2^12, a rank below 2^31: both fit into one number that sorts fast. */
const RANKS = 2 ** 31;

/**
 * Packages by words. Every word of a query must occur, whole or as the beginning of a word, since people see results
 * while they type. The best field decides, a whole word before a beginning; then what was downloaded more, then names.
 */
export function createSearchIndex() {
  const terms = createTerms();
  const documents: (Document | undefined)[] = [];
  const numbers = new Map<string, number>();
  const free: number[] = [];
  /** Each document's place among all, when nothing else decides; by place, the document. */
  let ranks = new Uint32Array();
  let ranked: number[] = [];
  let popularity: (key: string) => number = () => 0;
  let isRanked = false;
  let scores = new Uint16Array();
  let marks = new Uint32Array();
  let best = new Uint8Array();

  function rank(): void {
    if (isRanked) return;
    isRanked = true;
    const entries = Array.from(numbers, ([key, number]) => ({ key, number, downloads: popularity(key) }));
    entries.sort((a, b) => b.downloads - a.downloads || byCodeUnit(a.key, b.key));
    ranked = entries.map(({ number }) => number);
    ranks = new Uint32Array(documents.length);
    for (const [place, number] of ranked.entries()) ranks[number] = place;
    scores = new Uint16Array(documents.length);
    marks = new Uint32Array(documents.length);
    best = new Uint8Array(documents.length);
  }

  /** The documents that have every word, with their scores in `scores`. */
  function matching(words: readonly string[]): number[] {
    let found: number[] = [];
    marks.fill(0);
    for (const [turn, word] of words.entries()) {
      const next: number[] = [];
      terms.find(word, (places, isWhole) => {
        const bonus = isWhole ? 1 : 0;
        for (const place of places) {
          const weight = place % WEIGHTS;
          const document = (place - weight) / WEIGHTS;
          const score = weight * 2 + bonus;
          if (marks[document] === turn) {
            marks[document] = turn + 1;
            best[document] = score;
            next.push(document);
          } else if (marks[document] === turn + 1 && score > (best[document] as number)) best[document] = score;
        }
      });
      for (const document of next)
        scores[document] = (turn === 0 ? 0 : (scores[document] as number)) + (best[document] as number);
      found = next;
      if (found.length === 0) return found;
    }
    return found;
  }

  function inOrder(found: readonly number[], whole: string, offset: number, limit: number): number[] {
    const exact = numbers.get(whole);
    const sortable = new Float64Array(found.length);
    for (const [place, number] of found.entries()) {
      const score = (scores[number] as number) + (number === exact ? EXACT_IDENTIFIER : 0);
      sortable[place] = score * RANKS + (RANKS - 1 - (ranks[number] as number));
    }
    sortable.sort().reverse();
    const page = sortable.subarray(offset, offset + limit);
    return Array.from(page, (value) => ranked[RANKS - 1 - (value % RANKS)] as number);
  }

  return {
    /** Puts a package in, or in the place of what it was. `key` is its identifier in lower case. */
    set(key: string, pkg: Searched, ownerId: string): void {
      this.delete(key);
      const number = free.pop() ?? documents.length;
      const words = weighedWords(pkg);
      documents[number] = {
        ...{ key, type: pkg.type, ownerId },
        words: new Set(words.keys()),
      };
      numbers.set(key, number);
      for (const [word, weight] of words) terms.add(word, number, weight);
      isRanked = false;
    },

    delete(key: string): void {
      const number = numbers.get(key);
      if (number === undefined) return;
      for (const word of documents[number]?.words ?? []) terms.remove(word, number);
      documents[number] = undefined;
      numbers.delete(key);
      free.push(number);
      isRanked = false;
    },

    /** How often each was downloaded, by key; asked for now and whenever packages change. */
    rankBy(downloads: (key: string) => number): void {
      popularity = downloads;
      isRanked = false;
    },

    /** How many match, and the keys of one page of them, best first. */
    search({ q, type, ownerId, offset = 0, limit = Number.POSITIVE_INFINITY }: Query): Found {
      rank();
      const words = [...new Set(wordsOf(q))].slice(0, SEARCH_LIMITS.maxWords);
      const isBlank = q.trim() === "";
      // Signs alone are no words: nothing has them.
      const found = words.length > 0 ? matching(words) : isBlank ? ranked : [];
      const isWanted = (number: number) => {
        const document = documents[number];
        return (
          (type === undefined || document?.type === type) && (ownerId === undefined || document?.ownerId === ownerId)
        );
      };
      const wanted = type === undefined && ownerId === undefined ? found : found.filter(isWanted);
      const isPlain = words.length === 0;
      const page = isPlain ? wanted.slice(offset, offset + limit) : inOrder(wanted, wholeOf(q), offset, limit);
      return { total: wanted.length, keys: page.map((number) => documents[number]?.key ?? "") };
    },

    size: (): number => numbers.size,
  };
}

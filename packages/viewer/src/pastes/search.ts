import { setImmediate } from "node:timers/promises";
import type { SearchHit } from "@backplane/contract/viewer";
import type { PastesLimits } from "./storage/limits.ts";
import type { PasteIndex } from "./storage/paste-index.ts";
import { type Entry, toPaste } from "./storage/record.ts";
import type { Records } from "./storage/records.ts";

/**
 * Finds screenshots with all words in their name, title or text. Those with all words in the name come first, then those
 * with some, then the others; newest first within each group. Reads records in this order, and no more than needed.
 */
export async function searchPastes(
  { index, records, limits }: { index: PasteIndex; records: Records; limits: PastesLimits },
  query: string,
  limit: number,
): Promise<SearchHit[]> {
  const words = fold(query.slice(0, limits.maxQueryCharacters)).split(/\s+/).filter(Boolean);
  const wanted = Math.min(limit, limits.maxListed);
  if (words.length === 0 || wanted < 1) return [];
  const hits: SearchHit[] = [];
  const entries = bestFirst(index, words, limits.maxSearched);
  for (let isLast = false; !isLast && hits.length < wanted; ) {
    // Let other work run.
    await setImmediate();
    const batch = next(entries, limits.readsAtOnce);
    const found = await Promise.all(batch.map((entry) => searchOne(records, entry, words, limits.excerptCharacters)));
    hits.push(...found.filter((hit) => hit !== undefined));
    isLast = batch.length < limits.readsAtOnce;
  }
  return hits.slice(0, wanted);
}

/** The next ones, as far as there are any. */
function next<Of>(from: Iterator<Of>, count: number): Of[] {
  const taken: Of[] = [];
  while (taken.length < count) {
    const { value, done } = from.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}

/** Whoever has enough hits by their names stops before the others are looked at. */
function* bestFirst(index: PasteIndex, words: readonly string[], maxSearched: number): Generator<Entry> {
  const [some, none]: [Entry[], Entry[]] = [[], []];
  let seen = 0;
  for (const entry of index.newestFirst()) {
    if (seen === maxSearched) break;
    seen += 1;
    const found = words.filter((word) => entry.name.includes(word)).length;
    if (found === words.length) yield entry;
    else (found > 0 ? some : none).push(entry);
  }
  yield* some;
  yield* none;
}

async function searchOne(
  records: Records,
  entry: Entry,
  words: readonly string[],
  excerptCharacters: number,
): Promise<SearchHit | undefined> {
  const text = (await records.read(entry.id))?.text ?? null;
  const where = [entry.name, fold(entry.title ?? ""), fold(text ?? "")];
  if (!words.every((word) => where.some((part) => part.includes(word)))) return undefined;
  return { paste: toPaste(entry), excerpt: excerptOf(text, words, excerptCharacters) };
}

/** Ignores case, and whether accents are separate characters. */
const fold = (text: string): string => text.normalize("NFKC").toLowerCase();

/** The share of an excerpt that comes before the match. */
const BEFORE = 1 / 3;
const HALF_CHARACTERS = /^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g;

/** The text around the first match, on one line; null if there is none. */
function excerptOf(text: string | null, words: readonly string[], characters: number): string | null {
  const line = (text ?? "").normalize("NFKC").replace(/\s+/g, " ").trim();
  const folded = line.toLowerCase();
  const places = words.map((word) => folded.indexOf(word)).filter((place) => place >= 0);
  if (places.length === 0) return null;
  const first = Math.min(...places, line.length - 1);
  const from = Math.max(0, Math.min(first - Math.floor(characters * BEFORE), line.length - characters));
  const to = Math.min(line.length, from + characters);
  // Whole words, where spaces allow it: half of "[hidden]" looks like text of the picture.
  const before = from === 0 ? -1 : line.indexOf(" ", from - 1);
  const start = before >= 0 && before < first ? before + 1 : from;
  const after = to === line.length ? to : line.lastIndexOf(" ", to);
  const end = after > first ? after : to;
  const excerpt = line.slice(start, end).replace(HALF_CHARACTERS, "").trim();
  return `${start > 0 ? "…" : ""}${excerpt}${end < line.length ? "…" : ""}`;
}

/** Case does not matter, nor how a letter is put together. */
export const fold = (text: string): string => text.normalize("NFKC").toLowerCase();

/** How much of an excerpt comes before what was found. */
const BEFORE = 1 / 3;
const HALF_LETTERS = /^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g;

/** Where the text has the first of the words, on one line; null: nowhere. */
export function excerptOf(text: string | null, words: readonly string[], characters: number): string | null {
  const line = (text ?? "").normalize("NFKC").replace(/\s+/g, " ").trim();
  const folded = line.toLowerCase();
  const places = words.map((word) => folded.indexOf(word)).filter((place) => place >= 0);
  if (places.length === 0) return null;
  const first = Math.min(...places, line.length - 1);
  const start = Math.max(0, Math.min(first - Math.floor(characters * BEFORE), line.length - characters));
  const end = Math.min(line.length, start + characters);
  const excerpt = line.slice(start, end).replace(HALF_LETTERS, "").trim();
  return `${start > 0 ? "…" : ""}${excerpt}${end < line.length ? "…" : ""}`;
}

type Piece = { text: string; hit: boolean };

/** A limit that nobody reaches by typing keeps the page fast. */
const MAX_WORDS = 16;

/** Splits a text into the parts that match a word of the search and the rest. */
export function highlight(text: string, query: string): Piece[] {
  const words = query
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, MAX_WORDS)
    // Longest first: where two words match at the same place, the longer one wins.
    .sort((a, b) => b.length - a.length);
  if (words.length === 0 || text === "") return text === "" ? [] : [{ text, hit: false }];
  return text
    .split(new RegExp(`(${words.map(literally).join("|")})`, "iu"))
    .map((piece, place) => ({ text: piece, hit: place % 2 === 1 }))
    .filter((piece) => piece.text !== "");
}

const literally = (word: string): string => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

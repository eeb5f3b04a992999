type Piece = { text: string; hit: boolean };

/** More words than anybody types would only make the page slow. */
const MAX_WORDS = 16;

/** A text in pieces: those that the words of a search name, and the rest between them. */
export function highlight(text: string, query: string): Piece[] {
  const words = query
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, MAX_WORDS)
    // The longest first: where two begin at one place, the longer is what was meant.
    .sort((a, b) => b.length - a.length);
  if (words.length === 0 || text === "") return text === "" ? [] : [{ text, hit: false }];
  return text
    .split(new RegExp(`(${words.map(literally).join("|")})`, "iu"))
    .map((piece, place) => ({ text: piece, hit: place % 2 === 1 }))
    .filter((piece) => piece.text !== "");
}

const literally = (word: string): string => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

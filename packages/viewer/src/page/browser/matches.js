// Why a search found a screenshot, with the words that match.
export const wordsOf = (query) => query.normalize("NFKC").toLowerCase().split(/\s+/).filter(Boolean);

const escapeSigns = (word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

// Pieces of a text. Words with only a space or a hyphen between them are one match.
export function markWords(text, words) {
  const longestFirst = words.toSorted((a, b) => b.length - a.length);
  const word = `(?:${longestFirst.map(escapeSigns).join("|")})`;
  const pieces = text.split(new RegExp(`(${word}(?:[\\s-]+${word})*)`, "iu"));
  return pieces.map((piece, index) => ({ text: piece, isMatch: index % 2 === 1 })).filter((piece) => piece.text !== "");
}

const plain = (text) => ({ text, isMatch: false });

// Empty when the name that was found has changed since.
export function reasonOf({ paste: { name, title }, excerpt }, words) {
  if (excerpt !== null) return [plain("“"), ...markWords(excerpt, words), plain("”")];
  const hasMatch = (text) => markWords(text, words).some(({ isMatch }) => isMatch);
  if (hasMatch(name)) return [plain("In the name: "), ...markWords(name, words)];
  return hasMatch(title ?? "") ? [plain("In the title: "), ...markWords(title, words)] : [];
}

// `max`: how many the viewer was asked for.
export const countInWords = (count, max) => (count < max ? `${count} found` : `${count} or more`);

export const foundInWords = ({ query, hits }) =>
  hits.length > 0
    ? "Found in names and in the text read from pictures."
    : `Nothing found for “${query}” in names and in the text read from pictures.`;

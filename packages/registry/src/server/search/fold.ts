/** Letters that Unicode does not take apart, as people without that key type them. */
const LOOSE: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ħ: "h",
  ı: "i",
  ł: "l",
  þ: "th",
};

const WORDS = /\p{Script=Han}|[[\p{L}\p{N}]--\p{Script=Han}]+/gv;
const MARKS = /\p{M}/gu;
const LOOSE_LETTERS = new RegExp(`[${Object.keys(LOOSE).join("")}]`, "gu");
const PLAIN = /^\p{ASCII}*$/u;
const PLAIN_WORDS = /[a-z0-9]+/g;

/** Longer words are cut: nobody types more, and a text without spaces is no word. */
const MAX_WORD_CHARACTERS = 40;

/** Without case and accents, so that what is typed without them is found: "Löten" is "loten". */
export function fold(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .replace(MARKS, "")
    .toLowerCase()
    .replace(LOOSE_LETTERS, (letter) => LOOSE[letter] ?? letter);
}

/** The words of a text, folded; a Chinese character is a word of its own, as there are no spaces between them. */
export function wordsOf(text: string): string[] {
  const folded = fold(text);
  const words = folded.match(PLAIN.test(folded) ? PLAIN_WORDS : WORDS) ?? [];
  return words.map((word) => (word.length > MAX_WORD_CHARACTERS ? word.slice(0, MAX_WORD_CHARACTERS) : word));
}

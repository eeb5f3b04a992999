import type { Package } from "@backplane/contract/registry";

/** The searched fields of a package. */
export type Searched = Pick<
  Package,
  "identifier" | "name" | "description" | "description_full" | "type" | "author" | "maintainer" | "tags"
>;

/** The same order as in KiCad: identifier, name, tag, descriptions, then people. */
const WEIGHT = { identifier: 7, name: 6, tag: 5, description: 4, descriptionFull: 3, maintainer: 2 } as const;

/** Each word of a package once, with the weight of the best field that contains it. */
export function weightedWords(pkg: Searched): Map<string, number> {
  const words = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of wordsOf(text)) if (!words.has(word)) words.set(word, weight);
  };
  add(pkg.identifier, WEIGHT.identifier);
  add(pkg.name, WEIGHT.name);
  for (const tag of pkg.tags ?? []) add(tag, WEIGHT.tag);
  add(pkg.description, WEIGHT.description);
  add(pkg.description_full, WEIGHT.descriptionFull);
  for (const person of [pkg.maintainer, pkg.author]) if (person) add(person.name, WEIGHT.maintainer);
  return words;
}

/** The query as a whole, to compare with identifiers. */
export const wholeOf = (text: string): string => fold(text.trim());

/** Letters that Unicode does not decompose, and what people type instead. */
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

/** Longer words are cut: nobody types more. */
const MAX_WORD_CHARACTERS = 40;

/** Removes case and accents, so that typing without them works: "Löten" becomes "loten". */
export function fold(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .replace(MARKS, "")
    .toLowerCase()
    .replace(LOOSE_LETTERS, (letter) => LOOSE[letter] ?? letter);
}

/** The folded words of a text. Each Chinese character is a word, because there are no spaces between them. */
export function wordsOf(text: string): string[] {
  const folded = fold(text);
  const words = folded.match(PLAIN.test(folded) ? PLAIN_WORDS : WORDS) ?? [];
  return words.map((word) => (word.length > MAX_WORD_CHARACTERS ? word.slice(0, MAX_WORD_CHARACTERS) : word));
}

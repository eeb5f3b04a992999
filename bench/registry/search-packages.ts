import type { Package } from "@backplane/contract/registry";

const VOCABULARY = 6_000;
const SYLLABLES = "ba ce di fo gu ka le mi no pu ra se ti vo xy za bri cho dra fle gri plo ste tru".split(" ");
const WORDS = { name: 3, description: 12, leastFull: 40, mostFull: 160, tags: 4 } as const;

/** This many packages, with words distributed as in a language: a few are common, most are rare. */
export function packagesOf(count: number): Package[] {
  const next = numbersFrom(count);
  const words = Array.from({ length: VOCABULARY }, (_, n) => wordOf(n));
  const word = () => words[Math.floor(VOCABULARY ** next()) % VOCABULARY] ?? "";
  const some = (length: number) => Array.from({ length }, word).join(" ");
  return Array.from({ length: count }, (_, index) => ({
    name: some(WORDS.name),
    description: some(WORDS.description),
    description_full: some(WORDS.leastFull + Math.floor(next() * (WORDS.mostFull - WORDS.leastFull))),
    identifier: `org.${word()}.author-${index % 500}.${word()}-${index}`,
    type: "plugin",
    author: { name: some(2), contact: { web: `https://author.example/${index}` } },
    license: "MIT",
    resources: {},
    tags: [...new Set(Array.from({ length: WORDS.tags }, word))],
    versions: [],
  }));
}

/** What people type: words that occur, their beginnings, two words, and some that never occur. */
export function queriesOf(packages: readonly Package[], count: number): string[] {
  const next = numbersFrom(count);
  return Array.from({ length: count }, (_, n) => {
    const from = packages[Math.floor(next() * packages.length)];
    const words = `${from?.name} ${from?.description}`.split(" ");
    const word = () => words[Math.floor(next() * words.length)] ?? "";
    const kinds = [
      word(),
      word().slice(0, 3),
      word().slice(0, 5),
      `${word()} ${word()}`,
      `${word()} ${word().slice(0, 4)}`,
    ];
    return n % 20 === 19 ? "qqqq" : n % 20 === 18 ? (from?.identifier ?? "") : (kinds[n % kinds.length] ?? "");
  });
}

function wordOf(number: number): string {
  let [rest, word] = [number + SYLLABLES.length, ""];
  while (rest > 0) {
    word += SYLLABLES[rest % SYLLABLES.length];
    rest = Math.floor(rest / SYLLABLES.length);
  }
  return word;
}

function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

import { LICENSES } from "@backplane/contract/registry";
import { type CorpusFile, corpus } from "./corpus.suite.ts";

/** Larger ones take long to copy, and have nothing that the others do not. */
const MAX_LETTERS = 6_000;

type Random = (below: number) => number;
type Holder = Record<string | number, unknown>;

/** The same numbers for the same seed, on every machine. */
function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const SHA = "0123456789abcdef".repeat(4);
/** Around every limit in the contract. */
const POOL: readonly unknown[] = [
  ...[
    "",
    "a",
    "ab",
    "A",
    "1",
    "1.2",
    "1.2.3",
    "1.2.3.4",
    "v1",
    "99.99.99",
    "100",
    "9999.9999.999999",
    "1.2\n",
    "é",
    "💡",
  ],
  ...[
    "stable",
    "Stable",
    "plugin",
    "library",
    "ipc",
    "swig",
    "linux",
    "bsd",
    "MIT",
    "GPL-3.0-or-later",
    ...LICENSES.slice(0, 5),
  ],
  ...[
    "http://h",
    "https://h/p",
    "https:///p",
    "https://a b",
    "file:///x",
    "file://C:/x",
    "file://x",
    "ftp://h",
    "xhttps://h/p",
  ],
  ...[SHA, SHA.toUpperCase(), SHA.slice(1), "2026-11-15 09:00:00", "2026-11-15T09:00:00", "1999-01-01 00:00:00"],
  ...[49, 50, 51, 99, 100, 101, 200, 201, 500, 501, 5_000, 5_001].map((length) => "x".repeat(length)),
  ...["💡".repeat(200), "💡".repeat(201), "💡".repeat(500), "💡".repeat(501)],
  ...[0, 1, -1, 0.5, -0, 1e15, 1e21, true, false, null],
  ...[
    [],
    {},
    ["ab"],
    ["ab", "ab"],
    ["linux", "windows"],
    ["linux", "linux"],
    [1],
    [1, 1],
    [{}],
    { ab: "x" },
    { a: "x" },
  ],
  ...[{ "a b": "" }, { name: "x", contact: {} }, { url: "https://hh", update_timestamp: 1 }, [null, null]],
];

const isHolder = (value: unknown): value is Holder => typeof value === "object" && value !== null;

/** A random place in the value: its container and its key. */
function anyPlace(root: Holder, random: Random): [Holder, string] | undefined {
  let [holder, key]: [Holder, string | undefined] = [root, undefined];
  while (true) {
    const keys = Object.keys(holder);
    if (keys.length === 0) return key === undefined ? undefined : [holder, "ab"];
    key = keys[random(keys.length)] ?? "";
    const inner = holder[key];
    if (!isHolder(inner) || random(4) === 0) return [holder, key];
    holder = inner;
  }
}

const LETTERS = ["_", "-", " ", ".", "A", "z", "0", "\n", "/", "é", "💡", "\0"];

function changeText(text: string, random: Random): string {
  const at = random(text.length + 1);
  const letter = LETTERS[random(LETTERS.length)] ?? "";
  const ways = [
    () => text.slice(0, at) + letter + text.slice(at),
    () => text.slice(0, at) + text.slice(at + 1),
    () => letter + text,
    () => text + letter,
    () => text.toUpperCase(),
    () => text.toLowerCase(),
    () => text + text,
  ];
  return ways[random(ways.length)]?.() ?? text;
}

const CHANGES: readonly ((holder: Holder, key: string, random: Random) => void)[] = [
  (holder, key) => {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
  },
  (holder, key, random) => {
    holder[key] = structuredClone(POOL[random(POOL.length)]);
  },
  (holder, key, random) => {
    const value = holder[key];
    if (typeof value === "string") holder[key] = changeText(value, random);
    else if (typeof value === "number") holder[key] = [value + 1, -value, value + 0.5, String(value)][random(4)];
  },
  (holder, key) => {
    if (Array.isArray(holder)) holder.push(structuredClone(holder[Number(key)]));
    else holder[`${key}x`] = holder[key];
  },
  (holder, _key, random) => {
    if (!Array.isArray(holder)) holder[["more", "Ab", "a b", "x", "runtime", "category"][random(6)] ?? ""] = "x";
  },
  (holder, key) => {
    // Equal, written in another order.
    const value = holder[key];
    if (Array.isArray(holder) && isHolder(value)) holder.push(Object.fromEntries(Object.entries(value).reverse()));
  },
];

/** This many variants of the corpus, each with one to three changes. */
export function* mutants(count: number, seed: number): Generator<CorpusFile> {
  const random = createRandom(seed);
  const seeds = corpus
    .map((file) => ({ ...file, text: JSON.stringify(file.value) }))
    .filter(({ text }) => text.length <= MAX_LETTERS);
  for (let index = 0; index < count; index += 1) {
    const { file, kind, text } = seeds[index % seeds.length] ?? { file: "", kind: "Package", text: "{}" };
    const value = JSON.parse(text) as Holder;
    for (let changes = 1 + random(3); changes > 0; changes -= 1) {
      const place = anyPlace(value, random);
      if (place) CHANGES[random(CHANGES.length)]?.(...place, random);
    }
    yield { file: `${file}, mutant ${index}`, kind, value: JSON.parse(JSON.stringify(value)) };
  }
}

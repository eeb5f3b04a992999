import assert from "node:assert/strict";
import { test } from "node:test";
import { type Query, SearchIndex } from "./search-index.ts";
import { fold, type Searched, wordsOf } from "./words.ts";

const pkg = (identifier: string, more: Partial<Searched> = {}): Searched => ({
  ...{ identifier, name: "Name", description: "Short", description_full: "Long", type: "plugin" },
  author: { name: "Somebody", contact: {} },
  ...more,
});

function indexOf(...packages: Searched[]) {
  const index = keysOf(new SearchIndex());
  for (const one of packages) index.set(one.identifier.toLowerCase(), one, "owner");
  return index;
}

/** Answers with the keys alone. */
const keysOf = (index: SearchIndex) => ({
  set: index.set.bind(index),
  delete: index.delete.bind(index),
  rankBy: index.rankBy.bind(index),
  search: (query: Query) => index.search(query).keys,
  count: () => index.size,
});

const RANKED = [
  pkg("org.example.fab", { name: "Zeta" }),
  pkg("fab", { name: "Other" }),
  pkg("org.example.name", { name: "Fab house" }),
  pkg("org.example.tagged", { tags: ["fab"] }),
  pkg("org.example.described", { description: "For the fab" }),
  pkg("org.example.long", { description_full: "Sends it to a fab" }),
  pkg("org.example.person", { maintainer: { name: "Fab Ltd", contact: {} } }),
];

test("results rank: exact identifier, identifier part, name, tag, descriptions, maintainer", () => {
  const expected = ["fab", "org.example.fab", "org.example.name", "org.example.tagged", "org.example.described"];
  const found = indexOf(...RANKED.toReversed()).search({ q: "fab" });
  assert.deepEqual(found, [...expected, "org.example.long", "org.example.person"]);
  assert.equal(indexOf(...RANKED).search({ q: "Org.Example.Long" })[0], "org.example.long");
});

test("a word is found by its beginning while it is typed; a whole word comes first", () => {
  const index = indexOf(
    pkg("a.b1", { name: "Routers" }),
    pkg("a.b2", { name: "Router" }),
    pkg("a.b3", { name: "Autorouter" }),
  );
  assert.deepEqual(index.search({ q: "router" }), ["a.b2", "a.b1"]);
  for (const q of ["r", "ro", "rou", "rout", "route"]) assert.deepEqual(index.search({ q }), ["a.b1", "a.b2"], q);
  assert.deepEqual(index.search({ q: "outer" }), []);
});

test("each of several words must match, anywhere", () => {
  const index = indexOf(
    pkg("a.one", { name: "Board viewer", tags: ["html"] }),
    pkg("a.two", { name: "Board", description: "prints" }),
    pkg("a.three", { description_full: "An html thing" }),
  );
  assert.deepEqual(index.search({ q: "html board" }), ["a.one"]);
  assert.deepEqual(index.search({ q: "board html nothing" }), []);
  assert.deepEqual(index.search({ q: "board board" }).toSorted(), ["a.one", "a.two"]);
});

test("common words beside rare ones find the same packages in the same order, in whatever order they are typed", () => {
  const many = Array.from({ length: 600 }, (_, n) =>
    pkg(`a.p${n}`, {
      name: n % 2 === 0 ? "Board" : "Cable",
      description: `boards of kind${n % 200} ${n % 3 === 0 ? "printed" : "milled"}`,
      tags: n % 50 === 0 ? ["rare", "board"] : [],
    }),
  );
  const index = indexOf(...many);
  // Their numbers are given to others.
  for (const n of [50, 51, 300]) index.delete(`a.p${n}`);
  for (const n of [300, 50]) index.set(`a.p${n}`, many[n] as Searched, "owner");
  const rare = many.map(({ identifier }) => identifier).filter((_, n) => n % 50 === 0);
  for (const q of ["board rare", "rare board", "b rar a", "a p b rare"]) {
    assert.deepEqual(index.search({ q }), rare.toSorted(), q);
  }
  assert.deepEqual(index.search({ q: "rare cable" }), []);
  assert.deepEqual(index.search({ q: "board kind107 printed" }), ["a.p507"]);
  assert.deepEqual(index.search({ q: "printed boa kind100" }), ["a.p300"]);
  assert.deepEqual(index.search({ q: "board kind100" }), ["a.p100", "a.p300", "a.p500"]);
});

test("case and accents do not matter, in either direction", () => {
  const index = indexOf(pkg("a.b", { name: "Lötstopp Ćevap Straße ŁÓDŹ 電路 ﬁne" }));
  for (const q of ["lotstopp", "LÖTSTOPP", "cevap", "strasse", "łódź", "lodz", "電", "路", "電路", "fine"]) {
    assert.deepEqual(index.search({ q }), ["a.b"], q);
  }
  assert.equal(fold("Ünï"), "uni");
  assert.deepEqual(wordsOf("org.example-x_Y 2.0"), ["org", "example", "x", "y", "2", "0"]);
});

test("a replaced or removed package is no longer found by its old words", () => {
  const index = indexOf(pkg("a.b", { name: "Before" }), pkg("a.c", { name: "Before" }));
  index.set("a.b", pkg("a.b", { name: "After" }), "owner");
  assert.deepEqual(index.search({ q: "before" }), ["a.c"]);
  assert.deepEqual(index.search({ q: "after" }), ["a.b"]);
  index.delete("a.c");
  assert.deepEqual(index.search({ q: "before" }), []);
  index.set("a.d", pkg("a.d", { name: "Before" }), "owner");
  assert.deepEqual(index.search({ q: "before" }), ["a.d"]);
  assert.equal(index.count(), 2);
});

test("without words everything is listed, most downloads first; type and owner filter", () => {
  const index = keysOf(new SearchIndex());
  index.set("a.a", pkg("a.a"), "ada");
  index.set("a.b", pkg("a.b", { type: "library" }), "ada");
  index.set("a.c", pkg("a.c"), "bob");
  index.rankBy((key) => (key === "a.c" ? 9 : 0));
  assert.deepEqual(index.search({ q: " " }), ["a.c", "a.a", "a.b"]);
  assert.deepEqual(index.search({ q: "", type: "plugin" }), ["a.c", "a.a"]);
  assert.deepEqual(index.search({ q: "name", ownerId: "ada", type: "library" }), ["a.b"]);
  assert.deepEqual(index.search({ q: "name" }), ["a.c", "a.a", "a.b"], "also where words match equally");
});

test("a hostile query is answered quickly: punctuation, marks, endless words, many words", () => {
  const many = Array.from({ length: 2_000 }, (_, n) => pkg(`a.p${n}`, { description: `word${n} common text` }));
  const index = indexOf(...many);
  const startMs = performance.now();
  assert.deepEqual(index.search({ q: "!!! --- ***" }), []);
  assert.deepEqual(index.search({ q: "\u0301".repeat(200) }), []);
  assert.deepEqual(index.search({ q: "x".repeat(100_000) }), []);
  assert.deepEqual(index.search({ q: "\u{fdfa}".repeat(200) }), []);
  assert.equal(index.search({ q: "c o m t e x p w ".repeat(12) }).length, 0);
  assert.equal(index.search({ q: "c ".repeat(100) }).length, 2_000);
  for (const q of ["__proto__", "constructor", "toString", "\ud800"]) assert.deepEqual(index.search({ q }), []);
  assert.ok(performance.now() - startMs < 5_000);
});

test("the order does not depend on the order in which packages were added", () => {
  const forwards = indexOf(...RANKED).search({ q: "example" });
  assert.deepEqual(indexOf(...RANKED.toReversed()).search({ q: "example" }), forwards);
});

test("a page of the results, and the total number", () => {
  const index = new SearchIndex();
  for (const n of [0, 1, 2, 3, 4]) index.set(`a.p${n}`, pkg(`a.p${n}`), "owner");
  for (const q of ["", "name"]) {
    assert.deepEqual(index.search({ q, offset: 1, limit: 2 }), { total: 5, keys: ["a.p1", "a.p2"] });
    assert.deepEqual(index.search({ q, offset: 9, limit: 2 }), { total: 5, keys: [] });
  }
});

test("words that are added a few packages at a time, or only by a search, make no difference", () => {
  const index = new SearchIndex();
  for (const n of [0, 1, 2, 3, 4]) index.set(`a.p${n}`, pkg(`a.p${n}`), "owner");
  index.delete("a.p0");
  assert.equal(index.size, 4);
  assert.equal(index.addWords(3), true);
  index.delete("a.p1");
  index.set("a.p4", pkg("a.p4"), "owner");
  assert.equal(index.addWords(3), false);
  index.set("a.p5", pkg("a.p5"), "owner");
  assert.deepEqual(index.search({ q: "name" }), { total: 4, keys: ["a.p2", "a.p3", "a.p4", "a.p5"] });
  assert.equal(index.size, 4);
});

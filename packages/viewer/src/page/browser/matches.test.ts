import assert from "node:assert/strict";
import { test } from "node:test";

const { countInWords, foundInWords, markWords, reasonOf, wordsOf } = await import(
  new URL("matches.js", import.meta.url).href
);

/** Matches in brackets. */
const written = (pieces: { text: string; isMatch: boolean }[]) =>
  pieces.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join("");
const mark = (text: string, query: string) => written(markWords(text, wordsOf(query)));

test("the words of the search are marked in any case, neighbours as one", () => {
  assert.equal(mark("7.5 Dead time. t dead 0x1A", "dead TIME"), "7.5 [Dead time]. t [dead] 0x1A");
  assert.equal(mark("logic-inha-gha-dead-time", "time dead"), "logic-inha-gha-[dead-time]");
  assert.equal(mark("Übersicht", "über"), "[Über]sicht");
  assert.equal(mark("nothing here", "other"), "nothing here");
});

test("a longer word is marked whole, and signs have no meaning", () => {
  assert.equal(mark("deadline", "dead deadline"), "[deadline]");
  assert.equal(mark("a.b axb", "a.b"), "[a.b] axb");
  assert.equal(mark("(c) $5 | {x}+", "(c) $5 {x}+ |"), "[(c) $5 | {x}+]");
  assert.equal(mark("\\d 1/2", "\\d 1/2"), "[\\d 1/2]");
});

test("the reason is the text around the match, otherwise the name or the title", () => {
  const reason = (paste: object, excerpt: string | null) => written(reasonOf({ paste, excerpt }, wordsOf("dead time")));
  const gate = { name: "gate", title: null };
  assert.equal(reason(gate, "dead time 412 ns"), "“[dead time] 412 ns”");
  assert.equal(reason({ name: "dead-time", title: null }, null), "In the name: [dead-time]");
  assert.equal(reason({ name: "gate", title: "Dead time, rev C" }, null), "In the title: [Dead time], rev C");
  assert.equal(reason(gate, null), "", "renamed since");
});

test("the page says how many were found, and when there are more than it asked for", () => {
  const counts = [0, 4, 48].map((count) => countInWords(count, 48));
  assert.deepEqual(counts, ["0 found", "4 found", "48 or more"]);
  assert.match(foundInWords({ query: "x", hits: [{}] }), /^Found in names and in the text read from pictures\.$/);
  assert.match(foundInWords({ query: "x", hits: [] }), /^Nothing found for “x” in names/);
});

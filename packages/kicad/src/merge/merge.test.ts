import assert from "node:assert/strict";
import { test } from "node:test";
import { applySplices } from "../sexpr/index.ts";
import { spliceBetween } from "./differences.ts";
import { compareTexts } from "./merge.ts";

/** What two people made of one file, together; undefined when they changed the same thing in different ways. */
function mergeTexts(base: string, mine: string, theirs: string): string | undefined {
  const compared = compareTexts(base, mine, theirs);
  return compared?.conflicts.length === 0 ? compared.merge(() => "mine") : undefined;
}

const BASE = `(kicad_sch
\t(version 20231120)
\t(wire (pts (xy 1 2) (xy 3 4)) (uuid "w1"))
\t(symbol (lib_id "R") (at 10 10 0) (uuid "s1")
\t\t(property "Reference" "R1" (at 1 1 0))
\t\t(property "Value" "10k" (at 2 2 0))
\t)
\t(symbol (lib_id "C") (at 20 20 0) (uuid "s2"))
)
`;
const change = (from: string, to: string, text = BASE) => {
  assert.ok(text.includes(from), from);
  return text.replace(from, to);
};

test("the difference of two texts is as small as what changed", () => {
  const moved = change("(at 10 10 0)", "(at 12.7 10 0)");
  const splices = spliceBetween(BASE, moved);
  assert.deepEqual(
    splices.map(({ text }) => text),
    ["12.7"],
  );
  assert.equal(applySplices(BASE, splices), moved);
});

for (const [what, mine, theirs] of [
  ["a value and a place of one symbol", change("10k", "22k"), change("(at 10 10 0)", "(at 50 10 0)")],
  [
    "a new wire and a removed one",
    change('(uuid "s2"))', '(uuid "s2"))\n\t(wire (pts (xy 9 9) (xy 8 8)) (uuid "w2"))'),
    change('\n\t(wire (pts (xy 1 2) (xy 3 4)) (uuid "w1"))', ""),
  ],
  ["two symbols", change("10k", "22k"), change("(at 20 20 0)", "(at 21 20 0)")],
] as const) {
  test(`${what}, changed by two people, become one file`, () => {
    const merged = mergeTexts(BASE, mine, theirs) ?? assert.fail();
    assert.equal(mergeTexts(BASE, theirs, mine) ?? assert.fail(), merged, "whoever saves first");
    for (const side of [mine, theirs])
      for (const { text } of spliceBetween(BASE, side)) assert.ok(merged.includes(text.trim()), text);
  });
}

test("both adding at the same place keeps both", () => {
  const add = (uuid: string) => change('(uuid "s2"))', `(uuid "s2"))\n\t(junction (at 1 1) (uuid "${uuid}"))`);
  const merged = mergeTexts(BASE, add("mine"), add("theirs")) ?? assert.fail();
  assert.ok(merged.includes('"mine"') && merged.includes('"theirs"'));
});

test("the same value changed in two ways is for people to decide; in the same way it is not", () => {
  assert.equal(mergeTexts(BASE, change("10k", "22k"), change("10k", "47k")), undefined);
  assert.equal(mergeTexts(BASE, change("10k", "22k"), change("10k", "22k")), change("10k", "22k"));
});

test("a symbol that one person removed and another changed is for people to decide", () => {
  const without = change('\n\t(symbol (lib_id "C") (at 20 20 0) (uuid "s2"))', "");
  assert.equal(mergeTexts(BASE, change("(at 20 20 0)", "(at 1 1 0)"), without), undefined);
});

test("with a text that cannot be read, people decide", () => {
  assert.equal(mergeTexts(BASE, change("10k", "22k"), BASE.slice(0, 100)), undefined);
});

test("both adding the same definition of a symbol keeps it once, with what each added besides", () => {
  const base = BASE.replace("\t(wire", "\t(lib_symbols)\n\t(wire");
  const add = (...names: string[]) =>
    change("(lib_symbols)", `(lib_symbols${names.map((name) => ` (symbol "${name}" (power))`).join("")})`, base);
  const merged = mergeTexts(base, add("A", "B"), add("A", "C")) ?? assert.fail();
  for (const name of ["A", "B", "C"]) assert.equal(merged.split(`(symbol "${name}"`).length, 2, name);
});

test("a conflict names its item and what of it was changed, and each is decided on its own", () => {
  const mine = change("10k", "22k", change("(at 10 10 0)", "(at 12 14 0)", change("(at 20 20 0)", "(at 1 1 0)")));
  const theirs = change("10k", "47k", change("(at 10 10 0)", "(at 16 10 0)", change("xy 3 4", "xy 5 6")));
  const { conflicts, merged, merge } = compareTexts(BASE, mine, theirs) ?? assert.fail();
  assert.deepEqual(conflicts, [
    { uuid: "s1", list: "symbol", aspects: ["place"] },
    { uuid: "s1", list: "symbol", aspects: ["field Value"] },
  ]);
  assert.equal(merged, 2);
  const both = merge((conflict) => (conflict === 0 ? "mine" : "theirs"));
  for (const part of ["(at 12 14 0)", '"47k"', "(at 1 1 0)", "(xy 5 6)"]) assert.ok(both.includes(part), part);
  const other = merge((conflict) => (conflict === 0 ? "theirs" : "mine"));
  for (const part of ["(at 16 10 0)", '"22k"', "(at 1 1 0)", "(xy 5 6)"]) assert.ok(other.includes(part), part);
});

test("a removed symbol and its changes are one conflict", () => {
  const mine = change("10k", "22k", change("(at 10 10 0)", "(at 12 10 0)"));
  const theirs = BASE.replace(/\n\t\(symbol \(lib_id "R"\)[\s\S]*?\n\t\)/, "");
  const { conflicts, merge } = compareTexts(BASE, mine, theirs) ?? assert.fail();
  assert.deepEqual(
    conflicts.map(({ uuid, list }) => [uuid, list]),
    [["s1", "symbol"]],
  );
  assert.equal(
    merge(() => "mine"),
    mine,
  );
  assert.equal(
    merge(() => "theirs"),
    theirs,
  );
});

test("a text that was retyped by both is a conflict of its text", () => {
  const base = change('(uuid "s2"))', '(uuid "s2"))\n\t(text "a" (at 0 0 0) (uuid "t1"))');
  const retyped = (word: string) => change('"a"', `"${word}"`, base);
  const { conflicts } = compareTexts(base, retyped("b"), retyped("c")) ?? assert.fail();
  assert.deepEqual(conflicts, [{ uuid: "t1", list: "text", aspects: ["text"] }]);
});

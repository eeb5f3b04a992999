import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createRandom } from "../testing/random.ts";
import {
  applySplices,
  atomAt,
  child,
  children,
  FileFault,
  faultAt,
  flag,
  invertSplices,
  isList,
  layoutOf,
  MAX_CHARACTERS,
  MAX_DEPTH,
  type NewNode,
  nameOf,
  numbersIn,
  quote,
  quoted,
  readTree,
  rebaseSplices,
  type Splice,
  sameTree,
  textAt,
  textOf,
  writeNode,
  writeNumber,
} from "./index.ts";

const TEXT = '(kicad_sch (version 20230121)\n  # a remark\n  (paper "A4")\n  (at 1 -2.50 90) (hide yes) locked\n)\n';

test("a tree knows names, values, numbers and flags", () => {
  const root = readTree(TEXT);
  assert.equal(nameOf(root), "kicad_sch");
  assert.equal(textOf(root, "version"), "20230121");
  assert.equal(textAt(child(root, "paper"), 1), "A4");
  assert.equal(atomAt(child(root, "paper"), 1)?.kind, "string");
  assert.deepEqual(numbersIn(child(root, "at")), [1, -2.5, 90]);
  assert.equal(children(root, "paper").length, 1);
  assert.ok(flag(root, "hide") && flag(root, "locked") && !flag(root, "dnp"));
  assert.ok(!flag(readTree("(a (hide no))"), "hide"));
});

test("every node's span is the text that it was read from", () => {
  const root = readTree(TEXT);
  assert.equal(TEXT.slice(root.start, root.end), TEXT.trimEnd());
  const paper = child(root, "paper");
  assert.equal(TEXT.slice(paper?.start, paper?.end), '(paper "A4")');
});

test("escapes in strings are read, and written so that they are read again", () => {
  const value = 'a "b" \\ c\nd\te';
  const root = readTree(`(x ${quote(value)} "\\101")`);
  assert.equal(textAt(root, 1), value);
});

for (const [text, line, column] of [
  ["", 1, 1],
  ["(a", 1, 1],
  ["(a\n  (b)\n  (c", 3, 3],
  ["(a))", 1, 4],
  ["(a) b", 1, 5],
  ["a", 1, 1],
  ['(a\n "b', 2, 2],
  [")", 1, 1],
] as const) {
  test(`the fault in ${JSON.stringify(text)} is at line ${line}, column ${column}`, () => {
    assert.throws(
      () => readTree(text),
      (fault: FileFault) => fault instanceof FileFault && fault.line === line && fault.column === column,
    );
  });
}

test("depth and size are limited", () => {
  assert.throws(() => readTree("(".repeat(1_000_000)), /nested deeper than 512/);
  assert.ok(isList(readTree("(a".repeat(MAX_DEPTH) + ")".repeat(MAX_DEPTH))));
  assert.throws(() => readTree("(a b)", { depth: 9, characters: 4 }), /larger than the limit/);
  assert.equal(MAX_CHARACTERS, 64 * 1024 * 1024);
  assert.equal(faultAt("a\nb", 2, "Wrong").message, "Wrong (line 2, column 1)");
});

const spliceList = (length: number) =>
  fc.uniqueArray(fc.nat(length), { maxLength: 10 }).chain((places) => {
    const sorted = places.sort((a, b) => a - b);
    const pairs = sorted.flatMap((start, at) => (at % 2 === 0 ? [{ start, end: sorted[at + 1] ?? start }] : []));
    return fc
      .array(fc.string({ maxLength: 4 }), { minLength: pairs.length, maxLength: pairs.length })
      .map((texts) => pairs.map((pair, at): Splice => ({ ...pair, text: texts[at] ?? "" })));
  });

test("what splices do is undone by their inverse, and done again by the inverse of that", () => {
  const base = "the quick brown fox jumps over the lazy dog";
  fc.assert(
    fc.property(spliceList(base.length), (splices) => {
      const after = applySplices(base, splices);
      const back = invertSplices(base, splices);
      assert.equal(applySplices(after, back), base);
      assert.equal(applySplices(base, invertSplices(after, back)), after);
    }),
  );
});

test("changes of two people at different places give the same text in either order", () => {
  const base = "0123456789".repeat(4);
  fc.assert(
    fc.property(spliceList(19), spliceList(19), (first, later) => {
      const second = later.map((splice) => ({ ...splice, start: splice.start + 20, end: splice.end + 20 }));
      const one = applySplices(applySplices(base, first), rebaseSplices(second, first) ?? assert.fail());
      const other = applySplices(applySplices(base, second), rebaseSplices(first, second) ?? assert.fail());
      assert.equal(one, other);
    }),
  );
});

test("changes of one place by two people are a conflict", () => {
  assert.equal(rebaseSplices([{ start: 2, end: 4, text: "x" }], [{ start: 3, end: 5, text: "y" }]), undefined);
  assert.deepEqual(rebaseSplices([{ start: 2, end: 2, text: "x" }], [{ start: 2, end: 2, text: "yy" }]), [
    { start: 4, end: 4, text: "x" },
  ]);
});

test("overlapping splices are refused", () => {
  assert.throws(
    () =>
      applySplices("abcdef", [
        { start: 0, end: 3, text: "" },
        { start: 2, end: 4, text: "" },
      ]),
    RangeError,
  );
});

test("numbers are written as KiCad writes them", () => {
  assert.deepEqual([0, -0, 1, 2.54, -0.0000001, 1e6, 0.1 + 0.2, 10].map(writeNumber), [
    "0",
    "0",
    "1",
    "2.54",
    "0",
    "1000000",
    "0.3",
    "10",
  ]);
});

const WIRE: NewNode = [
  "wire",
  ["pts", ["xy", 1.27, 2], ["xy", 3, 4]],
  ["stroke", ["width", 0], ["type", "default"]],
  ["uuid", quoted("u")],
];

test("new nodes are laid out like the file: tabs and a line per list since KiCad 8, short lists together before", () => {
  const tall = "(kicad_sch\n\t(version 20231120)\n)\n";
  const compact = "(kicad_sch (version 20230121)\n\n  (paper A4)\n)\n";
  assert.equal(
    writeNode(WIRE, layoutOf(tall, readTree(tall)), 1),
    '(wire\n\t\t(pts\n\t\t\t(xy 1.27 2) (xy 3 4)\n\t\t)\n\t\t(stroke\n\t\t\t(width 0)\n\t\t\t(type default)\n\t\t)\n\t\t(uuid "u")\n\t)',
  );
  assert.equal(
    writeNode(WIRE, layoutOf(compact, readTree(compact)), 1),
    '(wire (pts (xy 1.27 2) (xy 3 4))\n    (stroke (width 0) (type default))\n    (uuid "u")\n  )',
  );
});

test("trees are compared by meaning", () => {
  assert.ok(sameTree(readTree("(a 1.0 (b x))"), readTree("(a 1\n (b x))")));
  assert.ok(!sameTree(readTree("(a 1.0 (b x))"), readTree("(a 1 (b y))")));
  assert.ok(!sameTree(readTree("(a b)"), readTree("(a (b))")));
});

test("a word is the number that it is elsewhere, and no other word is one", () => {
  const random = createRandom(7);
  const digits = () => String(random.below(10 ** random.below(12)));
  const words = [
    "0x1f",
    "1e3",
    "-1e-3",
    ".5",
    "5.",
    "-0",
    "+7",
    "-",
    ".",
    "1.2.3",
    "12a",
    "Infinity",
    "NaN",
    "yes",
    "\u00a05",
  ];
  words.push("123456789012345678", "0.1234567890123456789", "000000000000000000.5");
  for (let time = 0; time < 2_000; time++)
    words.push(
      `${random.pick(["", "-", "+"])}${digits()}${random.pick(["", ".", `.${digits()}`, `e${random.below(9)}`])}`,
    );
  for (const word of words) {
    const value = Number(word);
    assert.deepEqual(numbersIn(readTree(`(at ${word})`)), Number.isFinite(value) ? [value] : [], word);
  }
});

test("names in quotes, lists without a name and files of short words are read", () => {
  const root = readTree('(a ("n\\"m" 1) ((n) 2) () (n 3) "hide" (size 4))');
  assert.equal(textOf(root, 'n"m'), "1");
  assert.equal(textOf(root, "n"), "3");
  assert.deepEqual(root.items.map(nameOf), [undefined, 'n"m', undefined, undefined, "n", undefined, "size"]);
  assert.ok(!flag(root, "hide"));
  const many = readTree(`(${"a ".repeat(10_000)}(b c))`);
  assert.equal(many.items.length, 10_001);
  assert.equal(textOf(many, "b"), "c");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Block, type Inline, readInlines, readPlainText } from "./plain-text.ts";

const text = (words: string): Inline => ({ kind: "text", text: words });
const link = (address: string, href = address): Inline => ({ kind: "link", text: address, href });

test("an empty line separates paragraphs, a single line break is kept", () => {
  assert.deepEqual(readPlainText("One\r\ntwo\n\n\n  three  "), [
    { kind: "paragraph", inlines: [text("One\ntwo")] },
    { kind: "paragraph", inlines: [text("three")] },
  ]);
});

test("lines with a dash or a number are lists, including continued lines", () => {
  assert.deepEqual(readPlainText("Has:\n- one\n  and more\n* two\n\n1. first\n2) second\nDone."), [
    { kind: "paragraph", inlines: [text("Has:")] },
    { kind: "list", ordered: false, items: [[text("one and more")], [text("two")]] },
    { kind: "list", ordered: true, items: [[text("first")], [text("second")]] },
    { kind: "paragraph", inlines: [text("Done.")] },
  ]);
});

test("code is kept as it is, inline and in blocks, even without an end", () => {
  assert.deepEqual(readInlines("in `profiles/` of"), [text("in "), { kind: "code", text: "profiles/" }, text(" of")]);
  assert.deepEqual(readInlines("a ` alone"), [text("a ` alone")]);
  assert.deepEqual(readInlines("`https://example.com`"), [{ kind: "code", text: "https://example.com" }]);
  assert.deepEqual(readPlainText("```sh\n- a\n\n  b\n```\nafter"), [
    { kind: "code", text: "- a\n\n  b" },
    { kind: "paragraph", inlines: [text("after")] },
  ]);
  assert.deepEqual(readPlainText("```\nopen"), [{ kind: "code", text: "open" }]);
});

test("bare addresses become links without the punctuation after them", () => {
  assert.deepEqual(readInlines("See https://example.com/a_(b). Or (https://example.com/c)!"), [
    text("See "),
    link("https://example.com/a_(b)"),
    text(". Or ("),
    link("https://example.com/c"),
    text(")!"),
  ]);
  assert.deepEqual(readInlines("[docs](https://example.com/d)"), [
    text("[docs]("),
    link("https://example.com/d"),
    text(")"),
  ]);
});

test("markup stays text", () => {
  const hostile = '<img src=x onerror="alert(1)"> <a href="javascript:alert(1)">x</a> [y](javascript:alert(1))';
  assert.deepEqual(readInlines(hostile), [text(hostile)]);
  assert.deepEqual(readInlines("https://known.example@other.example/"), [text("https://known.example@other.example/")]);
});

const inlinesOf = (block: Block): Inline[] =>
  block.kind === "code" ? [] : block.kind === "list" ? block.items.flat() : block.inlines;

test("any text: parsing ends, no word is lost, and links lead only to the web", () => {
  const parts = fc.constantFrom(
    "- ",
    "1. ",
    "```",
    "`",
    "\n",
    "\n\n",
    " ",
    "https://a.example/(",
    ")",
    ".",
    "<b>",
    "x",
  );
  const anything = fc.oneof(
    fc.string(),
    fc.array(parts, { maxLength: 40 }).map((list) => list.join("")),
  );
  fc.assert(
    fc.property(anything, (written) => {
      const blocks = readPlainText(written);
      for (const inline of blocks.flatMap(inlinesOf)) {
        if (inline.kind === "link") assert.match(inline.href, /^https?:\/\//);
      }
      const said = blocks.map((block) =>
        block.kind === "code"
          ? block.text
          : inlinesOf(block)
              .map((i) => i.text)
              .join(""),
      );
      const letters = (value: string) => value.replace(/[^x]/g, "").length;
      // The word after an opening fence names a language and is not shown.
      if (!written.includes("```")) assert.equal(letters(said.join("")), letters(written));
    }),
  );
});

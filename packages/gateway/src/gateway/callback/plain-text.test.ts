import assert from "node:assert/strict";
import { test } from "node:test";
import { plainText } from "./plain-text.ts";

test("what people can read stays as it is, in any script", () => {
  for (const text of ["parts-catalog", "Größe 10 µm", "שלום", "مرحبا", "部品", "👩‍🔧 <b>&amp;"]) {
    assert.equal(plainText(text, 100), text);
  }
});

test("nothing that turns the direction of writing is left", () => {
  const turning = [0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069];
  for (const code of turning) assert.equal(plainText(`a${String.fromCodePoint(code)}b`, 100), "ab", code.toString(16));
});

test("controls of both blocks, and what breaks a line, become one space", () => {
  const controls = Array.from({ length: 0xa0 }, (_, code) => code).filter((code) => code < 0x20 || code > 0x7e);
  for (const code of [...controls, 0x2028, 0x2029]) {
    assert.equal(plainText(`a${String.fromCodePoint(code, code)}b`, 100), "a b", code.toString(16));
  }
  assert.equal(plainText("\0\r\n", 100), "");
});

test("what is too long ends in an ellipsis, and no character is cut in half", () => {
  assert.equal(plainText("a".repeat(100), 100), "a".repeat(100));
  assert.equal(plainText("a".repeat(101), 100), `${"a".repeat(99)}…`);
  assert.equal(plainText("😀".repeat(5), 4), "😀😀😀…");
});

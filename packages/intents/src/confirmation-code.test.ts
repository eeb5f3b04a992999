import assert from "node:assert/strict";
import { test } from "node:test";
import { CONFIRMATION_ALPHABET } from "@backplane/contract/intents";
import { isSameCode, newConfirmationCode } from "./confirmation-code.ts";

test("a code is XXXX-XXXX, eight upper-case consonants, each as likely as another", () => {
  const counts = new Map<string, number>();
  for (let made = 0; made < 5_000; made += 1) {
    const code = newConfirmationCode();
    assert.match(code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    for (const letter of code.replace("-", "")) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  const expected = (5_000 * 8) / CONFIRMATION_ALPHABET.length;
  for (const letter of CONFIRMATION_ALPHABET) assert.ok(Math.abs((counts.get(letter) ?? 0) - expected) < expected / 4);
});

test("bytes that would favour some letters are drawn again", () => {
  const draws = [new Uint8Array(12).fill(255), new Uint8Array(12).fill(240), new Uint8Array(12).fill(239)];
  assert.equal(
    newConfirmationCode(() => draws.shift() ?? new Uint8Array()),
    "ZZZZ-ZZZZ",
  );
});

test("codes are compared without case, dashes, spaces, and nothing else", () => {
  for (const same of ["BCDF-GHJK", "bcdfghjk", " bc df – gh jk ", "BCDF—GHJK"])
    assert.ok(isSameCode(same, "BCDF-GHJK"), same);
  for (const other of ["", "BCDF", "BCDF-GHJL", "BCDF.GHJK"]) assert.ok(!isSameCode(other, "BCDF-GHJK"), other);
});

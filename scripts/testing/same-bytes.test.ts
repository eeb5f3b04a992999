import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { assertSameBytes } from "./same-bytes.ts";

test("the same bytes are the same, in whatever array; others are not, and large ones are told apart at no cost", () => {
  const bytes = randomBytes(1_000_000);
  assertSameBytes(bytes, new Uint8Array(bytes));
  const other = Buffer.from(bytes);
  other[999_999] = (other[999_999] ?? 0) ^ 1;
  assert.throws(() => assertSameBytes(other, bytes, "the last one"), /the last one/);
  assert.throws(() => assertSameBytes(Buffer.from('{"code":"not-found"}'), bytes), /not-found/);
});

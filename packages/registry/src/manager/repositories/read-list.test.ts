import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_BRAND } from "../../metadata/brands.ts";
import { readList } from "./read-list.ts";

const read = (text: string) => () =>
  readList(text, "packages.json", { brand: DEFAULT_BRAND, version: 1, strict: false });

for (const [what, text] of [
  ["empty objects", `{"packages":[${"{},".repeat(200_000)}{}]}`],
  ["lists in lists", `{"packages":${"[".repeat(200_000)}${"]".repeat(200_000)}}`],
  ["unknown keys", `{"packages":[],"x":[${"1,".repeat(200_000)}1]}`],
] as const) {
  test(`a list of very many ${what} is refused before it is parsed, which would take far more memory than its text`, () => {
    assert.throws(read(text), /very many tiny values/);
  });
}

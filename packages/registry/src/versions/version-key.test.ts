import assert from "node:assert/strict";
import { test } from "node:test";
import { readVersionKey, versionKey } from "./version-key.ts";

for (const [version, epoch, key] of [
  ["2.3.0", undefined, "2.3.0"],
  ["2.3.0", 0, "2.3.0"],
  ["2.3.0", 1, "1-2.3.0"],
  ["1", 12, "12-1"],
  ["9999.9999.999999", Number.MAX_SAFE_INTEGER, "9007199254740991-9999.9999.999999"],
] as const) {
  test(`version ${version} of epoch ${epoch ?? "none"} is "${key}", and is read from it`, () => {
    assert.equal(versionKey({ version, ...(epoch === undefined ? {} : { version_epoch: epoch }) }), key);
    const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
    assert.deepEqual(readVersionKey(key), [epoch ?? 0, major, minor, patch]);
  });
}

for (const key of [
  "",
  "0-1.0",
  "01-1.0",
  "-1.0",
  "1-",
  "1-2-3",
  "v1",
  "1.0.zip",
  "../1.0",
  "1 ",
  "9007199254740992-1",
]) {
  test(`"${key}" is no version's key`, () => assert.equal(readVersionKey(key), undefined));
}

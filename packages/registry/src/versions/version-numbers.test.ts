import assert from "node:assert/strict";
import { test } from "node:test";
import { compareVersions, readVersion, readVersionKey, versionKey } from "./version-numbers.ts";

/** "epoch:version", the epoch left out where it is 0. */
function read(text: string) {
  const [epoch, version] = text.includes(":") ? text.split(":") : ["0", text];
  const number = readVersion(String(version), Number(epoch));
  assert.ok(number, text);
  return number;
}

const ORDER = `
0 = 0.0 | 0 = 0.0.0 | 1 = 1.0 | 1 = 1.0.0 | 1.0 = 1.0.0 | 1.2 = 1.2.0 | 01 = 1 | 1.02 = 1.2 | 0001.2.3 = 1.2.3
1 > 0 | 1 > 0.9 | 1 > 0.9.9 | 1 > 0.9999.999999 | 2 > 1 | 10 > 9 | 10 > 2 | 9999 > 9998 | 100 > 99 | 1.1 > 1 | 1.1 > 1.0
1.1 > 1.0.9 | 1.10 > 1.9 | 1.10 > 1.2 | 1.100 > 1.99 | 1.2.1 > 1.2 | 1.2.1 > 1.2.0 | 1.2.10 > 1.2.9 | 1.2.10 > 1.2.2
1.2.100000 > 1.2.99999 | 1.2.999999 > 1.2.999998 | 2.0 > 1.9999.999999 | 2.1.0 > 2.0.999999 | 0.0.1 > 0 | 0.1 > 0.0.999999
2026 > 2025 | 2026.5 > 2026.4 | 2026.5.11 > 2026.5.2 | 2026.10.1 > 2026.9.30
1:0 > 0 | 1:0 > 9999 | 1:0 > 9999.9999.999999 | 1:1 > 1 | 1:1 > 2 | 1:0.1 > 1.0 | 2:0 > 1:9999 | 10:0 > 9:9 | 1:1.1 > 1:1 | 1:1 = 1:1.0.0
0:1 = 1 | 1:2 > 1:1.9 | 3:0 > 2:0 | 1:0.0.1 > 1:0
`
  .split(/[|\n]/)
  .map((row) => row.trim())
  .filter(Boolean);

for (const row of ORDER) {
  test(`order: ${row}`, () => {
    const [a = "", relation, b = ""] = row.split(" ");
    const sign = relation === "=" ? 0 : 1;
    assert.equal(Math.sign(compareVersions(read(a), read(b))), sign);
    assert.equal(Math.sign(compareVersions(read(b), read(a))), sign === 0 ? 0 : -1);
  });
}

for (const text of [
  "",
  "v1",
  "1.",
  ".1",
  "1..2",
  "1.2.3.4",
  "10000",
  "1.10000",
  "1.2.1000000",
  "1.2-hf",
  " 1",
  "1 ",
  "1.2a",
]) {
  test(`"${text}" is not a version`, () => assert.equal(readVersion(text), undefined));
}

for (const epoch of [-1, 0.5, Number.NaN, Number.MAX_SAFE_INTEGER + 1]) {
  test(`${epoch} is not an epoch`, () => assert.equal(readVersion("1", epoch), undefined));
}

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
  test(`"${key}" is not a version key`, () => assert.equal(readVersionKey(key), undefined));
}

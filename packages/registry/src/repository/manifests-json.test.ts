import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { assertSameBytes } from "../../../../scripts/testing/same-bytes.ts";
import { readManifest, readManifests, writeManifest, writeManifests } from "./manifests-json.ts";
import { SHA256 } from "./samples.suite.ts";

const file = (path: string) => ({ path, size: 3, sha256: SHA256 });
const place = (url: string) => ({ url: `https://example.org/${url}`, sha256: SHA256, size: 9 });

describe("manifests.json", () => {
  const list = [
    { identifier: "org.b", version: "7", ...place("1") },
    { identifier: "org.a", version: "1.9", ...place("2") },
    { identifier: "org.a", version: "1.10", ...place("3") },
    { identifier: "org.a", version: "1.0", version_epoch: 2, ...place("4") },
  ];

  test("it names, for each identifier and version, where its manifest is and what its bytes are", () => {
    const read = readManifests(writeManifests(list).toString());
    assert.deepEqual(read?.get("org.a")?.get("2-1.0"), place("4"));
    assert.deepEqual(read?.get("org.b")?.get("7"), place("1"));
  });

  test("identifiers by code unit, later versions first, whatever the order of the input", () => {
    const bytes = writeManifests(list);
    assertSameBytes(writeManifests(list.toReversed()), bytes);
    const keys = [...bytes.toString().matchAll(/"([^"]+)":\{"url"/g)].map(([, key]) => key);
    assert.deepEqual(keys, ["2-1.0", "1.10", "1.9", "7"]);
  });

  test("an identifier such as __proto__ is an identifier like any other", () => {
    const read = readManifests(writeManifests([{ identifier: "constructor", version: "1", ...place("1") }]).toString());
    assert.deepEqual(read?.get("constructor")?.get("1"), place("1"));
    assert.equal(readManifests(writeManifests([]).toString())?.get("constructor"), undefined);
  });

  for (const text of [
    "",
    "null",
    "[]",
    "{}",
    '{"format":"backplane-manifests-2","packages":{}}',
    '{"format":"backplane-manifests-1","packages":[]}',
    '{"format":"backplane-manifests-1","packages":{"../a":{}}}',
    '{"format":"backplane-manifests-1","packages":{"org.a":{"v1":{}}}}',
    '{"format":"backplane-manifests-1","packages":{"org.a":{"1":{"url":"javascript:1"}}}}',
    `{"format":"backplane-manifests-1","packages":{"org.a":{"1":{"url":"https://a/b","sha256":"${SHA256}","size":-1}}}}`,
  ]) {
    test(`${text.slice(0, 90)} is not a manifests.json`, () => assert.equal(readManifests(text), undefined));
  }
});

describe("a manifest", () => {
  const manifest = { identifier: "org.a", version: "1.0", files: [file("plugins/b.py"), file("plugins/a.py")] };

  test("it lists the files of a version by path, with size and sha256", () => {
    const read = readManifest(writeManifest(manifest).toString());
    assert.deepEqual(read, { ...manifest, files: manifest.files.toReversed() });
    const epoch = { ...manifest, version_epoch: 3, files: [] };
    assert.deepEqual(readManifest(writeManifest(epoch).toString()), epoch);
  });

  for (const path of ["../a", "/etc/passwd", "a//b", "a/./b", "a/..", "", "C:/a", "a\\b", "a\0b", "x".repeat(241)]) {
    test(`a path such as ${JSON.stringify(path.slice(0, 20))} makes it invalid`, () => {
      assert.equal(readManifest(writeManifest({ ...manifest, files: [file(path)] }).toString()), undefined);
    });
  }

  test("the same path twice makes it invalid", () => {
    assert.equal(readManifest(writeManifest({ ...manifest, files: [file("a"), file("a")] }).toString()), undefined);
  });

  test("reading never throws, and what is accepted is written back unchanged", () => {
    const value = fc.record({
      identifier: fc.oneof(fc.constant("org.a"), fc.string()),
      version: fc.oneof(fc.constant("1.0"), fc.string()),
      files: fc.array(fc.record({ path: fc.string(), size: fc.integer(), sha256: fc.constant(SHA256) })),
    });
    fc.assert(
      fc.property(fc.oneof(value, fc.jsonValue()), (given) => {
        const read = readManifest(JSON.stringify(given));
        if (read) assert.deepEqual(readManifest(writeManifest(read).toString())?.files.length, read.files.length);
      }),
    );
  });
});

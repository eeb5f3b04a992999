import assert from "node:assert/strict";
import { test } from "node:test";
import type { Package } from "@backplane/contract/registry";
import { writeLists } from "../repository/packages-json.ts";
import { createChecker } from "./check.ts";
import { corpus } from "./corpus/corpus.suite.ts";
import { readPackage } from "./read.ts";
import { soundPackage } from "./samples.suite.ts";
import { inVersion, schemaVersionOf, whyNotV1 } from "./schema-versions.ts";
import { publishedSchema } from "./schemas.ts";

type Definitions = Record<string, { properties?: Record<string, object> }>;

const definitionsOf = (version: 1 | 2) =>
  (publishedSchema("kicad", "https://packages.example/schema", { version }) as { definitions: Definitions })
    .definitions;

test("version 2 of the published schema differs from version 1 in exactly these fields", () => {
  const [first, second] = [definitionsOf(1), definitionsOf(2)];
  const word = { type: "string", pattern: "^[a-z][-a-z0-9]{0,48}[a-z0-9]$" };
  assert.deepEqual(second.Package?.properties, {
    ...first.Package?.properties,
    license: { type: "string" },
    type: word,
    category: word,
  });
  assert.deepEqual(second.Repository?.properties, {
    ...first.Repository?.properties,
    schema_version: { type: "integer", minimum: 1 },
  });
  const { License: _, Package: _1, Repository: _2, ...others } = first;
  const { Package: _3, Repository: _4, ...otherSecond } = second;
  assert.deepEqual(otherSecond, others);
});

/** Fields of a package, and whether version 1 has it. */
const VIEWS: readonly [change: Partial<Package>, isInV1: boolean][] = [
  [{}, true],
  [{ category: "Anything at all" }, true],
  [{ category: "fab" }, true],
  [{ license: "GPL-3.0-or-later" }, false],
  [{ type: "datasource" }, false],
  [{ type: "fab", license: "MIT OR ISC", category: "assembly" }, false],
];

for (const [change, isInV1] of VIEWS) {
  test(`version 2 has ${JSON.stringify(change)}, version 1 ${isInV1 ? "too" : "does not"}, and both views are valid`, () => {
    const pkg = { ...soundPackage, ...change };
    const read = readPackage(JSON.stringify(pkg));
    assert.ok("package" in read, JSON.stringify(read));
    const [first, second] = [inVersion(pkg, 1), inVersion(pkg, 2)];
    assert.deepEqual([first !== undefined, whyNotV1(pkg) === undefined], [isInV1, isInV1]);
    assert.ok(second);
    for (const [view, version] of [
      [first, 1],
      [second, 2],
    ] as const) {
      if (view) assert.ok("value" in createChecker("tool", { version })(JSON.stringify(view), "Package"));
    }
  });
}

test("what both versions can express stays the same object, so that lists are written once", () => {
  assert.equal(inVersion(soundPackage, 1), soundPackage);
  assert.equal(inVersion(soundPackage, 2), soundPackage);
});

test("what version 1 accepts of the corpus can be published, and is the same in both versions", () => {
  const [first, either] = [createChecker("kicad"), createChecker("kicad", { version: "either" })];
  let count = 0;
  for (const { file, kind, value } of corpus) {
    const text = JSON.stringify(value);
    if ("faults" in first(text, kind)) continue;
    assert.ok("value" in either(text, kind), file);
    if (kind !== "PackageArray") continue;
    const { packages } = value as { packages: Package[] };
    const lists = writeLists(packages, "tool");
    assert.equal(lists[1], lists[2], file);
    count += 1;
  }
  assert.ok(count > 5, String(count));
});

test("an absent schema_version means 1, and later ones are read as 2", () => {
  assert.deepEqual([undefined, 1, 2, 3, "2"].map(schemaVersionOf), [1, 1, 2, 2, 1]);
});

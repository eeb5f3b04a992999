import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createChecker } from "../metadata/check.ts";
import { readPackages } from "../metadata/read.ts";
import { joinPackages, writePackage, writePackages } from "./packages-json.ts";
import { samplePackage, sampleVersion } from "./samples.suite.ts";

const parsed = (bytes: Buffer) => JSON.parse(bytes.toString()) as { packages: Record<string, unknown>[] };

test("identifiers are sorted by code unit, capitals first, whatever the machine's language", () => {
  const packages = ["org.b", "org.a", "Org.c", "org.a-b", "org.a.b"].map((name) => samplePackage(name, []));
  const written = parsed(writePackages(packages, "tool")).packages.map(({ identifier }) => identifier);
  assert.deepEqual(written, ["Org.c", "org.a", "org.a-b", "org.a.b", "org.b"]);
});

test("later versions come first: a higher epoch, then numbers as numbers", () => {
  const versions = ["1.9", "1.10", "2", "1.9.1"].map((version) => sampleVersion(version));
  const listed = samplePackage("org.a", [...versions, sampleVersion("0.1", { version_epoch: 1 })]);
  const { versions: written } = JSON.parse(writePackage(listed, "tool")) as { versions: { version: string }[] };
  assert.deepEqual(
    written.map(({ version }) => version),
    ["0.1", "2", "1.10", "1.9.1", "1.9"],
  );
});

test("a brand spells its two fields its own way, in place, and clients of the brand accept the list", () => {
  const listed = samplePackage("org.a", [sampleVersion("1.0", { tool_version_max: "9.0" })]);
  const text = writePackages([listed], "kicad").toString();
  assert.match(text, /"kicad_version":"8.0","kicad_version_max":"9.0"/);
  assert.doesNotMatch(text, /tool_version/);
  assert.ok("value" in createChecker("kicad")(text, "PackageArray"));
  const read = readPackages(text, "kicad");
  assert.ok("packages" in read);
  assert.deepEqual(read.packages, [listed]);
});

test("keys have a fixed order, unknown ones at the end", () => {
  const listed = samplePackage("org.a", [sampleVersion("1.0")], { zebra: 1, apple: { b: 1, a: 2 } });
  const mixed = Object.fromEntries(Object.entries(listed).reverse()) as typeof listed;
  assert.equal(writePackage(mixed, "tool"), writePackage(listed, "tool"));
  assert.deepEqual(Object.keys(JSON.parse(writePackage(mixed, "tool"))).slice(-3), ["versions", "apple", "zebra"]);
});

test("a key named __proto__ is a key like any other", () => {
  const listed = { ...samplePackage("org.a", []), ...JSON.parse('{"x":{"__proto__":1}}') };
  assert.match(writePackage(listed, "kicad"), /"x":\{"__proto__":1\}/);
});

test("joined pieces equal the list written at once, compact and with a line end", () => {
  const packages = ["org.a", "org.b"].map((name) => samplePackage(name, [sampleVersion("1.0")]));
  const pieces = packages.map((listed) => writePackage(listed, "tool"));
  assert.deepEqual(joinPackages(pieces), writePackages(packages, "tool"));
  assert.equal(joinPackages([]).toString(), '{"packages":[]}\n');
});

test("the order of the input does not matter", () => {
  const versions = ["1", "1.1", "2.0.5", "10", "0.9"].map((version) => sampleVersion(version));
  const names = ["a.a", "a.b", "b.a", "A.c"];
  const expected = writePackages(
    names.map((name) => samplePackage(name, versions)),
    "tool",
  );
  const shuffled = fc.tuple(
    fc.shuffledSubarray(names, { minLength: 4 }),
    fc.shuffledSubarray(versions, { minLength: 5 }),
  );
  fc.assert(
    fc.property(shuffled, ([order, listed]) => {
      assert.deepEqual(
        writePackages(
          order.map((name) => samplePackage(name, listed)),
          "tool",
        ),
        expected,
      );
    }),
  );
});

test("an invalid version is not written", () => {
  assert.throws(() => writePackages([samplePackage("org.a", [sampleVersion("v1")])], "tool"), RangeError);
});

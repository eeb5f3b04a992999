import assert from "node:assert/strict";
import { test } from "node:test";
import type { Package } from "@backplane/contract/registry";
import { isBrand, toBrand, toNeutral } from "./brands.ts";
import { soundPackage } from "./samples.suite.ts";

const branded = (...versions: object[]) => ({ ...soundPackage, versions });
const versionsOf = (pkg: unknown) => (pkg as { versions: object[] }).versions;

test("with `kicad` they read and write `kicad_version`, `kicad_version_max`: keys keep their order", () => {
  const version = { version: "1", kicad_version: "7", status: "stable", kicad_version_max: "8", more: 1 };
  const neutral = toNeutral(branded(version), "kicad") as Package;
  const [first = {}] = versionsOf(neutral);
  assert.deepEqual(Object.entries(first), [
    ["version", "1"],
    ["tool_version", "7"],
    ["status", "stable"],
    ["tool_version_max", "8"],
    ["more", 1],
  ]);
  assert.equal(JSON.stringify(toBrand(neutral, "kicad")), JSON.stringify(branded(version)));
});

test("the neutral brand changes nothing", () => {
  const pkg = branded({ tool_version: "7", kicad_version: "6" });
  assert.equal(toNeutral(pkg, "tool"), pkg);
  assert.deepEqual(toBrand(soundPackage, "tool"), soundPackage);
});

test("the brand's spelling wins over the neutral one, and the reverse when it is written", () => {
  const both = { tool_version: "6", version: "1", kicad_version: "7" };
  assert.deepEqual(versionsOf(toNeutral(branded(both), "kicad")), [{ version: "1", tool_version: "7" }]);
  assert.deepEqual(versionsOf(toBrand(branded(both) as unknown as Package, "kicad")), [
    { kicad_version: "6", version: "1" },
  ]);
  const onlyMaximum = { tool_version: "6", kicad_version_max: "7" };
  assert.deepEqual(versionsOf(toNeutral(branded(onlyMaximum), "kicad")), [
    { tool_version: "6", tool_version_max: "7" },
  ]);
});

test("a list of packages is renamed as a whole", () => {
  const list = { packages: [branded({ kicad_version: "7" }), branded()], more: 1 };
  assert.deepEqual(toNeutral(list, "kicad"), {
    packages: [branded({ tool_version: "7" }), branded()],
    more: 1,
  });
});

test("only keys of versions are renamed, and what is not a package is returned unchanged", () => {
  const odd = { kicad_version: "7", versions: [1, null, "x", []] };
  assert.deepEqual(toNeutral(odd, "kicad"), odd);
  for (const value of [null, 1, "x", [], { versions: {} }]) assert.deepEqual(toNeutral(value, "kicad"), value);
});

test('a key "__proto__" is a key like any other', () => {
  const pkg = JSON.parse('{"versions":[{"__proto__":{"status":"stable"},"kicad_version":"7"}]}') as unknown;
  const [version = {}] = versionsOf(toNeutral(pkg, "kicad"));
  assert.deepEqual(Object.keys(version), ["__proto__", "tool_version"]);
  assert.equal((version as { status?: string }).status, undefined);
});

test("a brand is lower-case letters and digits, a letter first", () => {
  for (const brand of ["tool", "kicad", "a", "a1", "a".repeat(31)]) assert.ok(isBrand(brand), brand);
  for (const brand of ["", "KiCad", "1a", "a-b", "a b", "__proto__", "a".repeat(32), "a\n"]) {
    assert.ok(!isBrand(brand), brand);
  }
});

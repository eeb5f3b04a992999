import assert from "node:assert/strict";
import { test } from "node:test";
import { toBrand } from "./brands.ts";
import { MAX_DEPTH } from "./check.ts";
import { readPackage, readPackages, readRepository } from "./read.ts";
import { soundPackage, soundRepository, soundVersion } from "./samples.suite.ts";

const withVersions = (...versions: object[]) => JSON.stringify({ ...soundPackage, versions });

test("publishing accepts either spelling: both come out in the neutral one", () => {
  for (const brand of ["tool", "kicad"]) {
    const read = readPackage(JSON.stringify(toBrand(soundPackage, brand)));
    assert.deepEqual(read, { package: soundPackage, brand, notes: [] });
  }
});

test("only the given brands are accepted, and missing fields are reported in the first one's spelling", () => {
  const text = JSON.stringify(toBrand(soundPackage, "kicad"));
  for (const [brands, field] of [
    [["tool"], "tool_version"],
    [["other", "tool"], "other_version"],
  ] as const) {
    const read = readPackage(text, { brands });
    assert.ok("faults" in read);
    assert.deepEqual(
      read.faults.map(({ level, rule, pointer, message }) => [level, rule, pointer, message]),
      [["error", "schema", `/versions/0/${field}`, "is missing"]],
    );
  }
  assert.ok("package" in readPackage(text, { brands: ["other", "kicad"] }));
});

test("when both spellings are present, the brand's counts", () => {
  const read = readPackage(withVersions({ version: "1", status: "stable", tool_version: "6", kicad_version: "7" }));
  assert.ok("package" in read);
  assert.equal(read.brand, "kicad");
  assert.deepEqual(read.package.versions, [{ version: "1", status: "stable", tool_version: "7" }]);
  assert.deepEqual(
    read.notes.map(({ level, rule, pointer }) => [level, rule, pointer]),
    [["warning", "two-spellings", "/versions/0/tool_version"]],
  );
});

test("the spelling of most versions is used, and the others are reported", () => {
  const mixed = ["1", "2", "3"].map((version) => ({ version, status: "stable", kicad_version: "7" }));
  const read = readPackage(withVersions(...mixed, { version: "4", status: "stable", tool_version: "7" }));
  assert.ok("faults" in read);
  assert.deepEqual(
    read.faults.map(({ pointer }) => pointer),
    ["/versions/3/kicad_version"],
  );
});

test("`versions: []` is valid and means delisted", () => {
  const read = readPackage(withVersions());
  assert.ok("package" in read);
  assert.equal(read.brand, "tool");
});

test("packages.json is read in the brand's spelling, and only in that", () => {
  const text = JSON.stringify({ packages: [toBrand(soundPackage, "kicad")] });
  assert.deepEqual(readPackages(text, "kicad"), { packages: [soundPackage] });
  const read = readPackages(text, "tool");
  assert.ok("faults" in read);
  assert.equal(read.faults[0]?.pointer, "/packages/0/versions/0/tool_version");
});

test("one invalid package among thousands is reported", () => {
  const packages = Array.from({ length: 3_000 }, () => soundPackage as object);
  packages[2_345] = { ...soundPackage, license: "mit" };
  const read = readPackages(JSON.stringify({ packages }, undefined, 1), "tool");
  assert.ok("faults" in read);
  assert.deepEqual(
    read.faults.map(({ pointer, fix }) => [pointer, fix]),
    [["/packages/2345/license", "MIT"]],
  );
});

test("repository.json is read with the keys that the contract does not know", () => {
  const value = { ...soundRepository, signed_index: { statement: "x" } };
  assert.deepEqual(readRepository(JSON.stringify(value)), { repository: value, value });
  const read = readRepository('{"name":"Parts"}');
  assert.ok("faults" in read);
  assert.deepEqual(read.faults, [
    { level: "error", rule: "schema", pointer: "/packages", line: 1, column: 1, message: "is missing" },
  ]);
});

test("a compat switch accepts addresses by KiCad's looser rule", () => {
  const url = "https://packages.example/a list.json";
  const text = JSON.stringify({ ...soundRepository, packages: { ...soundRepository.packages, url } });
  assert.ok("faults" in readRepository(text));
  assert.ok("repository" in readRepository(text, { looseUrls: true }));
  const listed = withVersions({ ...soundVersion, download_url: "https://a.example/x y.zip" });
  assert.ok("faults" in readPackage(listed));
  assert.ok("package" in readPackage(listed, { looseUrls: true }));
  assert.ok("faults" in readPackages(`{"packages":[${listed}]}`, "tool"));
  assert.ok("packages" in readPackages(`{"packages":[${listed}]}`, "tool", { looseUrls: true }));
});

test("a byte order mark is skipped, and does not count as a column", () => {
  assert.ok("package" in readPackage(`\uFEFF${JSON.stringify(soundPackage)}`));
  const read = readPackage('\uFEFF{"name":1}');
  assert.ok("faults" in read);
  assert.deepEqual(read.faults.find(({ pointer }) => pointer === "/name")?.column, 9);
});

test("endlessly nested text is refused", () => {
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const text = (depth: number) =>
    withVersions({ ...soundVersion, more: 0 }).replace(/"more":0/, `"more":${nested(depth)}`);
  assert.ok("package" in readPackage(text(MAX_DEPTH - 3)));
  for (const depth of [MAX_DEPTH - 2, 200_000]) {
    const read = readPackage(text(depth));
    assert.ok("faults" in read);
    assert.equal(read.faults[0]?.message, `is nested more than ${MAX_DEPTH} levels deep`);
  }
});

test("the number of faults is limited, however long the list is", () => {
  for (const [text, bound] of [
    [withVersions(...Array.from({ length: 50_000 }, () => ({}))), 200],
    [JSON.stringify({ ...soundPackage, tags: Array.from({ length: 50_000 }, (_, index) => index) }), 200],
    [JSON.stringify({ ...soundPackage, tags: [...Array.from({ length: 5_000 }, (_, index) => `ab${index}`), 1] }), 1],
  ] as const) {
    const read = readPackage(text);
    assert.ok("faults" in read);
    assert.equal(read.faults.length, bound);
  }
});

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { Package, Repository } from "@backplane/contract/registry";
import { toBrand } from "../brands.ts";
import { readPackage, readPackages, readRepository } from "../read.ts";
import { listedVersion, SHA, soundPackage, soundRepository, soundVersion } from "../samples.suite.ts";
import { LINT_RULES, type LintRule, lintPackage, lintPackages, lintRepository } from "./lint.ts";
import type { RepositoryFacts } from "./repository.ts";

type Found = [rule: LintRule, pointer: string, fix?: string];

function archive(change: object, ...versions: object[]): Found[] {
  const text = JSON.stringify({ ...soundPackage, ...(versions.length > 0 ? { versions } : {}), ...change });
  const read = readPackage(text);
  assert.ok("package" in read, JSON.stringify(read));
  return lintPackage(text, read.package, { brand: read.brand }).map(found);
}

function listing(...packages: object[]): Found[] {
  const text = JSON.stringify({ packages });
  const read = readPackages(text, "tool");
  assert.ok("packages" in read, JSON.stringify(read));
  return lintPackages(text, read.packages).map(found);
}

const version = (change: object): Found[] => archive({}, { ...soundVersion, ...change });
const listed = (change: object): Found[] => listing({ ...soundPackage, versions: [{ ...listedVersion, ...change }] });

function repository(change: object, facts: RepositoryFacts = {}): Found[] {
  const text = JSON.stringify({ ...soundRepository, packages: { ...soundRepository.packages, ...change } });
  const read = readRepository(text);
  assert.ok("repository" in read, JSON.stringify(read));
  return lintRepository(text, read.repository, facts).map(found);
}

const found = ({ rule, pointer = "", fix }: { rule: string; pointer?: string; fix?: string }): Found => [
  rule as LintRule,
  pointer,
  ...(fix === undefined ? ([] as const) : ([fix] as const)),
];

const ONE = "/packages/0";
const VERSION = `${ONE}/versions/0`;
const keep = (pattern: string) => archive({ keep_on_update: [pattern] });
const KEEP = "/keep_on_update/0";
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const FILE = '{\n"packages": []\n}\n';
const served = (stated: string, text = FILE) =>
  repository({ sha256: sha256(stated) }, { files: { packages: Buffer.from(text) } });
const LINE_ENDS: Found = ["hash-of-other-line-ends", "/packages/sha256", sha256(FILE)];

/** Rule and pointer of each note. */
const CASES: readonly [name: string, said: () => Found[], wanted: Found[]][] = [
  ["a sound package", () => archive({}), []],
  ["a sound version in a list", () => listed({}), []],
  ["a sound repository", () => repository({}), []],
  ["a name of spaces", () => archive({ name: " " }), [["name-empty", "/name"]]],
  ["no short description", () => archive({ description: "" }), [["description-empty", "/description"]]],
  ["no long description", () => archive({ description_full: "\n" }), [["description-empty", "/description_full"]]],
  [
    "a long description that is the short one",
    () => archive({ description_full: ` ${soundPackage.description}\n` }),
    [["description-repeated", "/description_full"]],
  ],
  ["HTML", () => archive({ description_full: "<b>Bold</b>" }), [["description-markup", "/description_full"]]],
  ["signs that are no HTML", () => archive({ description_full: "a < b && c > d <3" }), []],
  [
    "an author without contact",
    () => archive({ author: { name: "Ada", contact: {} } }),
    [["contact-missing", "/author/contact"]],
  ],
  [
    "a maintainer with an empty one",
    () => archive({ maintainer: { name: "Ada", contact: { "my web": "" } } }),
    [["contact-missing", "/maintainer/contact/my web"]],
  ],
  ["a category of one's own", () => archive({ category: "tools" }), [["category-unknown", "/category"]]],
  ["the category fab", () => archive({ category: "fab" }), []],
  [
    "a type that KiCad does not know",
    () => archive({ type: "theme" }, { ...soundVersion, runtime: undefined }),
    [
      ["type-unknown", "/type"],
      ["needs-v2", "/type"],
    ],
  ],
  [
    "a type of KiCad 10",
    () => archive({ type: "datasource" }, { ...soundVersion, runtime: undefined }),
    [["needs-v2", "/type"]],
  ],
  [
    "a licence that version 1 does not have",
    () => archive({ license: "GPL-3.0-or-later" }),
    [["needs-v2", "/license"]],
  ],
  ["a vague licence", () => archive({ license: "open-source" }), [["license-vague", "/license"]]],
  ["an identifier of one word", () => archive({ identifier: "router" }), [["identifier-short", "/identifier"]]],
  [
    "`runtime` at the wrong level",
    () => archive({ runtime: "ipc", tool_version: "8" }),
    [
      ["key-misplaced", "/runtime"],
      ["key-misplaced", "/tool_version"],
    ],
  ],
  [
    "keys that are nearly right",
    () => archive({ licence: "MIT", maintainers: {}, keepOnUpdate: [] }).concat(version({ tool_max_version: "9" })),
    [],
  ],
  [
    "keys that are nearly right and not there",
    () => archive({ tags: undefined, Tags: ["x"], categroy: "fab", category: undefined }),
    [
      ["key-misspelt", "/Tags", "tags"],
      ["key-misspelt", "/categroy", "category"],
    ],
  ],
  [
    "a maximum with its words turned round",
    () => version({ tool_version_max: undefined, tool_max_version: "9", "Download-Size": 1 }),
    [
      ["key-misspelt", "/versions/0/tool_max_version", "tool_version_max"],
      ["key-misspelt", "/versions/0/Download-Size", "download_size"],
    ],
  ],
  ["keys of one's own", () => archive({ x_internal: 1, $schema: "https://a.example", funding: "x" }), []],
  [
    "1.2 and 1.2.0",
    () => archive({}, soundVersion, { ...soundVersion, version: "1.2" }),
    [["version-twice", "/versions/1/version"]],
  ],
  [
    "the same number in two epochs",
    () => archive({}, soundVersion, { ...soundVersion, version: "1.2", version_epoch: 1 }),
    [],
  ],
  [
    "the same number twice in one epoch, once unsaid",
    () => archive({}, soundVersion, { ...soundVersion, version_epoch: 0 }),
    [["version-twice", "/versions/1/version"]],
  ],
  ["nothing but deprecated versions", () => version({ status: "deprecated" }), [["versions-deprecated", "/versions"]]],
  ["none at all", () => archive({ versions: [] }), []],
  ["a library with a runtime", () => archive({ type: "library" }), [["runtime-unused", "/versions/0/runtime"]]],
  [
    "a maximum below the minimum",
    () => version({ tool_version: "8.1", tool_version_max: "8.0" }),
    [["tool-range-empty", "/versions/0/tool_version_max"]],
  ],
  ["a maximum that has fewer parts", () => version({ tool_version: "8.1.2", tool_version_max: "8.1" }), []],
  [
    "a listed version that says nothing of its archive",
    () => listing(soundPackage),
    [
      ["download-url-missing", `${VERSION}/download_url`],
      ["download-sha256-missing", `${VERSION}/download_sha256`],
      ["download-size-missing", `${VERSION}/download_size`],
      ["install-size-missing", `${VERSION}/install_size`],
    ],
  ],
  [
    "an archive that says it of itself",
    () => version({ download_url: "http://h", download_sha256: "0".repeat(64), download_size: 0, install_size: 0 }),
    [
      ["download-in-archive", "/versions/0/download_url"],
      ["download-in-archive", "/versions/0/download_sha256"],
      ["download-in-archive", "/versions/0/download_size"],
    ],
  ],
  ...["0".repeat(64), "f".repeat(64), sha256(""), "deadbeef".repeat(8)].map(
    (hash): [string, () => Found[], Found[]] => [
      `the hash ${hash.slice(0, 8)}…`,
      () => listed({ download_sha256: hash }),
      [["sha256-placeholder", `${VERSION}/download_sha256`]],
    ],
  ),
  [
    "sizes that are 0",
    () => listed({ download_size: 0, install_size: 0 }),
    [
      ["size-placeholder", `${VERSION}/download_size`],
      ["size-placeholder", `${VERSION}/install_size`],
    ],
  ],
  [
    "a download over http",
    () => listed({ download_url: "http://a.example/x.zip" }),
    [["address-http", `${VERSION}/download_url`, "https://a.example/x.zip"]],
  ],
  [
    "links over http",
    () => archive({ resources: { "Home page": "http://a.example", text: "not http://" } }),
    [["address-http", "/resources/Home page", "https://a.example"]],
  ],
  [
    "a download from the disk",
    () => listed({ download_url: "file:///x.zip" }),
    [["address-local", `${VERSION}/download_url`]],
  ],
  [
    "an address that KiCad does not take",
    () => listed({ download_url: "https://.example/x.zip" }),
    [["address-refused-in-field", `${VERSION}/download_url`]],
  ],
  ["an invalid pattern", () => keep("(config"), [["keep-not-a-pattern", KEEP]]],
  ["a pattern for a shell", () => keep("*.json"), [["keep-not-a-pattern", KEEP, "[.]json$"]]],
  ["^ before a file", () => keep("^config/.*[.]json$"), [["keep-never-matches", KEEP, "/config/.*[.]json$"]]],
  ["^ and a slash before a file", () => keep("^/config/"), [["keep-never-matches", KEEP, "/config/"]]],
  ["^ before another package", () => keep("^/plugins/other/"), [["keep-never-matches", KEEP, "/plugins/other/"]]],
  ["^ before the whole path", () => keep("^/plugins/org_example_router/a[.]ini$"), []],
  ["^ before an open path", () => keep("^/plugins/.*[.]ini$"), []],
  ["^ before anything", () => keep("^.*/a[.]ini$"), []],
  ["^ on one side of a bar", () => keep("^a|[.]ini$"), []],
  ["^ before what need not be there", () => keep("^/x?plugins/"), []],
  ["a name anywhere", () => keep("settings\\.json$"), []],
  ...["", ".*", "^.*$", "/", "."].map((pattern): [string, () => Found[], Found[]] => [
    `the pattern "${pattern}"`,
    () => keep(pattern),
    [["keep-everything", KEEP]],
  ]),
  ["a very long pattern", () => keep(`(${"+".repeat(100_000)}`), [["keep-slow", KEEP]]],
  ["a repetition of a repetition", () => keep("/(a+)+$"), [["keep-slow", KEEP]]],
  [
    "patterns of a version",
    () => version({ keep_on_update: ["ok[.]ini$", "["] }),
    [["keep-not-a-pattern", "/versions/0/keep_on_update/1"]],
  ],
  [
    "one identifier twice, and once in capitals",
    () => {
      const one = { ...soundPackage, versions: [] };
      return listing(one, one, { ...one, identifier: "org.example.Router" });
    },
    [
      ["identifier-twice", "/packages/1/identifier"],
      ["identifier-case", "/packages/2/identifier"],
    ],
  ],
  ["a repository.json that is too large", () => repository({ more: "x".repeat(20_480) }), [["list-too-large", ""]]],
  ["no sha256", () => repository({ sha256: undefined }), [["hash-missing", "/packages/sha256"]]],
  ["a placeholder", () => repository({ sha256: "0".repeat(64) }), [["sha256-placeholder", "/packages/sha256"]]],
  ["the hash of what is served", () => served(FILE), []],
  ["the hash of CRLF lines", () => served(FILE.replaceAll("\n", "\r\n")), [LINE_ENDS]],
  ["the hash of a file without its last line end", () => served(FILE.trimEnd()), [LINE_ENDS]],
  [
    "the hash of LF lines, served as CRLF",
    () => served("a\nb\n", "a\r\nb\r\n").map(([rule]) => [rule, ""]),
    [["hash-of-other-line-ends", ""]],
  ],
  ["the hash of something else", () => served("other"), [["hash-differs", "/packages/sha256", sha256(FILE)]]],
  [
    "local time",
    () => repository({ update_time_utc: "2025-11-15 11:00:00" }),
    [["time-not-utc", "/packages/update_time_utc", "2025-11-15 09:00:00"]],
  ],
  [
    "no time at all",
    () => repository({ update_time_utc: "2025-99-15 11:00:00" }),
    [["time-not-utc", "/packages/update_time_utc", "2025-11-15 09:00:00"]],
  ],
  ["no time in words", () => repository({ update_time_utc: undefined }), []],
  [
    "milliseconds",
    () => repository({ update_timestamp: 1_763_197_200_123 }),
    [["timestamp-in-milliseconds", "/packages/update_timestamp", "1763197200"]],
  ],
  [
    "the future",
    () => repository({}, { nowS: soundRepository.packages.update_timestamp - 301 }),
    [["timestamp-in-future", "/packages/update_timestamp"]],
  ],
  [
    "a clock that differs a little",
    () => repository({}, { nowS: soundRepository.packages.update_timestamp - 299 }),
    [],
  ],
  [
    "1970",
    () => repository({ update_timestamp: 0, update_time_utc: undefined }),
    [["timestamp-zero", "/packages/update_timestamp"]],
  ],
];

for (const [name, said, wanted] of CASES) {
  test(`${name}: ${wanted.map(([rule]) => rule).join(", ") || "no notes"}`, () => {
    const sorted = (list: Found[]) => list.toSorted((a, b) => (a[1] < b[1] ? -1 : 1));
    assert.deepEqual(sorted(said()), sorted(wanted));
  });
}

test("every rule has a case that triggers it", () => {
  const spoken = new Set(CASES.flatMap(([, , wanted]) => wanted.map(([rule]) => rule)));
  assert.deepEqual(
    Object.keys(LINT_RULES).filter((rule) => !spoken.has(rule as LintRule)),
    [],
  );
});

test("notes have the level of their rule, their position in the text, and the brand's spelling", () => {
  const text = JSON.stringify(
    { packages: [toBrand({ ...soundPackage, versions: [{ ...listedVersion, tool_version_max: "7" }] }, "kicad")] },
    undefined,
    2,
  );
  const read = readPackages(text, "kicad");
  assert.ok("packages" in read);
  const line = text.split("\n").findIndex((row) => row.includes("kicad_version_max")) + 1;
  assert.deepEqual(lintPackages(text, read.packages, "kicad"), [
    {
      level: "warning",
      rule: "tool-range-empty",
      pointer: `${VERSION}/kicad_version_max`,
      line,
      column: (text.split("\n")[line - 1]?.indexOf('"7"') ?? 0) + 1,
      message: "is below the minimum, 8.0, so the version works nowhere.",
    },
  ]);
});

test("local time is recognised by its offset from UTC", () => {
  const said = (update_time_utc: string) => {
    const value: Repository = { ...soundRepository, packages: { ...soundRepository.packages, update_time_utc } };
    return lintRepository(JSON.stringify(value), value)[0]?.message;
  };
  assert.equal(said("2025-11-15 14:30:00"), "is local time, 5.5 h ahead of UTC.");
  assert.equal(said("2025-11-15 01:00:00"), "is local time, 8 h behind UTC.");
  assert.equal(said("2025-11-15 09:00:01"), "is not update_timestamp in UTC.");
});

test("however much is wrong, the number of notes is limited", () => {
  const packages: Package[] = Array.from({ length: 2_000 }, (_, index) => ({
    ...soundPackage,
    identifier: `org.example.p${index}`,
    versions: [{ version: "1", status: "stable", tool_version: "8" }],
  }));
  assert.equal(lintPackages(JSON.stringify({ packages }), packages).length, 1_000);
});

test("a listing can be linted one package at a time", () => {
  const text = JSON.stringify(soundPackage);
  assert.equal(lintPackage(text, soundPackage, { place: "listing" }).length, 4);
  assert.equal(SHA.length, 64);
});

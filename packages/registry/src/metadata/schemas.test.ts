import assert from "node:assert/strict";
import { test } from "node:test";
import { LICENSES } from "@backplane/contract/registry";
import { Ajv } from "ajv";
import { type MetadataKind, metadataSchemas } from "./schemas.ts";

const ajv = new Ajv({ strict: false });
const schemas = metadataSchemas();
const accepts = (kind: MetadataKind) => ajv.compile(schemas[kind]);

const contact = { name: "Ada", contact: { web: "https://ada.example" } };
const version = { version: "1.0.0", status: "stable", tool_version: "7.0" };
const whole = {
  Package: {
    name: "Router",
    description: "Routes",
    description_full: "Routes boards",
    identifier: "org.example.router",
    type: "plugin",
    author: contact,
    license: "MIT",
    resources: {},
    versions: [version],
  },
  PackageArray: { packages: [] },
  PackageVersion: version,
  Repository: { name: "Parts", packages: { url: "https://parts.example/packages.json", update_timestamp: 1 } },
} as const;

const long = (length: number) => "x".repeat(length);
const SHA = "0123456789abcdef".repeat(4);
const [GONE, NO_TEXT] = [undefined, 5];

type Field = [kind: MetadataKind, field: string, good: readonly unknown[], bad: readonly unknown[]];

const URLS = {
  good: ["http://h", "https://h/p?q#f", "https://h:8/p", "file:///a b", "file://C:/x", "file:///"],
  bad: [
    "",
    "h",
    "ftp://h",
    "http://",
    "http:///p",
    "https:// h",
    "https://h/a b",
    "https://h\n",
    "file://h",
    "file:///a\0",
    NO_TEXT,
  ],
};
const CONTACTS = {
  good: [
    contact,
    { name: long(500), contact: {} },
    { ...contact, more: 1 },
    { name: "", contact: { "a b": long(500), ab: "" } },
    { name: "💡".repeat(500), contact: { [`a${long(49)}`]: "💡".repeat(500), "a-1": "" } },
  ],
  bad: [
    "Ada",
    {},
    { name: "Ada" },
    { contact: {} },
    { name: long(501), contact: {} },
    { name: "Ada", contact: { Web: "" } },
    { name: "Ada", contact: { w: "" } },
    { name: "Ada", contact: { web: long(501) } },
    { name: "Ada", contact: { web: 1 } },
    { name: "Ada", contact: { "web-": "" } },
    { name: 5, contact: {} },
    { name: "Ada", contact: [] },
    { name: "Ada", contact: { [long(51)]: "" } },
  ],
};
const RESOURCES = {
  good: [
    { url: "https://h", update_timestamp: -1 },
    { url: "https://h", update_timestamp: 0, sha256: SHA, update_time_utc: "2026-11-15 09:00:00", more: 1 },
  ],
  bad: [
    {},
    { url: "https://h" },
    { update_timestamp: 1 },
    { url: "h", update_timestamp: 1 },
    { url: "https://h", update_timestamp: "1" },
    { url: "https://h", update_timestamp: 1.5 },
    { url: "https://h", update_timestamp: 1, sha256: SHA.toUpperCase() },
    { url: "https://h", update_timestamp: 1, sha256: SHA.slice(1) },
    { url: "https://h", update_timestamp: 1, sha256: null },
    { url: "https://h", update_timestamp: 1, update_time_utc: 5 },
    { url: "https://h", update_timestamp: 1, update_time_utc: " 2026-11-15 09:00:00" },
    { url: "https://h", update_timestamp: 1, update_time_utc: "2026-11-15 09:00" },
    { url: "https://h", update_timestamp: 1, update_time_utc: "2026-11-15T09:00:00" },
    { url: "https://h", update_timestamp: 1, update_time_utc: "1999-11-15 09:00:00" },
  ],
};

const FIELDS: readonly Field[] = [
  ["Package", "name", ["", long(200), "é".repeat(200)], [GONE, NO_TEXT, long(201)]],
  ["Package", "description", ["", long(500)], [GONE, NO_TEXT, long(501)]],
  ["Package", "description_full", ["", long(5_000)], [GONE, NO_TEXT, long(5_001)]],
  [
    "Package",
    "identifier",
    ["ab", "a.b-c.D9", `a${long(99)}`],
    [GONE, "", "a", "1a", "a_b", "a.", "-ab", "ab ", `a${long(100)}`],
  ],
  ["Package", "type", ["plugin", "library", "colortheme"], [GONE, "", "Plugin", "theme", NO_TEXT]],
  ["Package", "author", CONTACTS.good, [GONE, ...CONTACTS.bad]],
  ["Package", "maintainer", [GONE, ...CONTACTS.good], CONTACTS.bad],
  ["Package", "category", [GONE, "", "general"], [NO_TEXT]],
  ["Package", "license", LICENSES, [GONE, "", "mit", "GPL-3.0-or-later", "Proprietary", NO_TEXT]],
  [
    "Package",
    "resources",
    [{}, { "Home page": "x", aB: long(500) }, { [`A${long(49)}`]: "" }],
    [
      GONE,
      [],
      { a: "x" },
      { "1a": "x" },
      { ab: 1 },
      { ab: long(501) },
      { a_b: "x" },
      { [`A${long(50)}`]: "" },
      { "ab ": "" },
    ],
  ],
  [
    "Package",
    "tags",
    [GONE, ["ab"], ["a-1", `a${long(49)}`]],
    [[], ["a"], ["Ab"], ["a b"], ["ab", "ab"], ["-ab"], `ab`, [`a${long(50)}`]],
  ],
  ["Package", "keep_on_update", [GONE, [], ["^a$", "b"]], [["a", "a"], [1], "a"]],
  ["Package", "versions", [[], [version]], [GONE, {}, [version, version], [{}]]],
  ["PackageArray", "packages", [[], [whole.Package]], [GONE, {}, [{}]]],
  [
    "PackageVersion",
    "version",
    ["0", "9999.9999.999999", "1.2", "01"],
    [GONE, "", "v1", "1.", "10000", "1.10000", "1.2.1000000", "1.2.3.4", NO_TEXT],
  ],
  ["PackageVersion", "version_epoch", [GONE, 0, 7], [-1, 1.5, "1"]],
  ["PackageVersion", "download_url", [GONE, ...URLS.good], URLS.bad],
  ["PackageVersion", "download_sha256", [GONE, SHA], ["", SHA.toUpperCase(), SHA.slice(1), `${SHA}0`, NO_TEXT]],
  ["PackageVersion", "download_size", [GONE, 0, 2 ** 40], [-1, 0.5, "1"]],
  ["PackageVersion", "install_size", [GONE, 0, 2 ** 40], [-1, 0.5, "1"]],
  [
    "PackageVersion",
    "status",
    ["stable", "testing", "development", "deprecated"],
    [GONE, "", "Stable", "beta", NO_TEXT],
  ],
  [
    "PackageVersion",
    "platforms",
    [GONE, ["linux"], ["windows", "macos", "linux"]],
    [[], ["linux", "linux"], ["bsd"], "linux"],
  ],
  ["PackageVersion", "runtime", [GONE, "swig", "ipc"], ["", "python", NO_TEXT]],
  [
    "PackageVersion",
    "tool_version",
    ["7", "7.99", "99.99.99"],
    [GONE, "", "100", "7.100", "7.1.100", "7.", "v7", NO_TEXT],
  ],
  ["PackageVersion", "tool_version_max", [GONE, "7", "7.99"], ["", "100", "7.1.1.1", NO_TEXT]],
  ["PackageVersion", "keep_on_update", [GONE, [], ["^a$"]], [["a", "a"], [1]]],
  ["Repository", "name", ["", long(500)], [GONE, long(501), NO_TEXT]],
  ["Repository", "packages", RESOURCES.good, [GONE, ...RESOURCES.bad]],
  ["Repository", "resources", [GONE, ...RESOURCES.good], RESOURCES.bad],
  ["Repository", "manifests", [GONE, ...RESOURCES.good], RESOURCES.bad],
  ["Repository", "maintainer", [GONE, ...CONTACTS.good], CONTACTS.bad],
  ["Repository", "$schema", [GONE, ...URLS.good], URLS.bad],
];

for (const [kind, field, good, bad] of FIELDS) {
  const validate = accepts(kind);
  // As on the wire: undefined values are absent.
  const put = (value: unknown) => JSON.parse(JSON.stringify({ ...whole[kind], [field]: value })) as unknown;
  test(`${kind}.${field}: ${good.length} values are accepted, ${bad.length} refused`, () => {
    for (const value of good) assert.equal(validate(put(value)), true, JSON.stringify(value));
    for (const value of bad) assert.equal(validate(put(value)), false, JSON.stringify(value));
  });
}

test("every licence of the contract is listed once", () => {
  assert.equal(LICENSES.length, 90);
  assert.equal(new Set(LICENSES).size, LICENSES.length);
});

test("unknown keys are allowed, also in a package", () => {
  for (const kind of Object.keys(whole) as MetadataKind[])
    assert.ok(accepts(kind)({ ...whole[kind], more: [1] }), kind);
});

test("with a brand the two tool-version fields carry it, and only those", () => {
  const validate = ajv.compile(metadataSchemas("kicad").PackageVersion);
  const { tool_version, ...rest } = version;
  assert.equal(validate({ ...rest, kicad_version: tool_version, kicad_version_max: "8.0" }), true);
  assert.equal(validate(version), false);
  assert.equal(validate({ ...rest, kicad_version: tool_version, kicad_version_max: "8.0.0.0" }), false);
  for (const brand of ["", "KiCad", "a b", "1a", "__proto__"]) assert.throws(() => metadataSchemas(brand), RangeError);
});

test("a compat switch uses KiCad's looser regular expression, which checks only one end", () => {
  const loose = ajv.compile(metadataSchemas("tool", { looseUrls: true }).PackageVersion);
  const strict = accepts("PackageVersion");
  const verdicts = (url: string) => [
    strict({ ...version, download_url: url }),
    loose({ ...version, download_url: url }),
  ];
  for (const url of ["https://h/p", "http://hh", "file:///a b", "file://C:/x"])
    assert.deepEqual(verdicts(url), [true, true], url);
  for (const url of ["https://h/a b", "https://hh\n", "see file:///x"])
    assert.deepEqual(verdicts(url), [false, true], url);
  for (const url of ["http://h", "https://.h/p", "https://$h", "file:///"])
    assert.deepEqual(verdicts(url), [true, false], url);
  for (const url of ["", "h", "ftp://h", "see https://h/p", "http:///p", "file://h", "file:///a\0"]) {
    assert.deepEqual(verdicts(url), [false, false], url);
  }
});

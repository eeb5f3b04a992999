import assert from "node:assert/strict";
import { test } from "node:test";
import { createChecker } from "./check.ts";

const check = createChecker();
const TEXT = `{
  "name": "Router",
  "description": "Routes",
  "description_full": "Routes boards",
  "identifier": "org.example.my_router",
  "type": "plugin",
  "author": { "name": "Ada", "contact": { "Web": "x" } },
  "license": "GPL-3.0-or-later",
  "resources": {},
  "tags": ["Auto Router"],
  "versions": [
    { "version": "v1.2.0-hf", "status": "Stable", "platforms": ["win32"] }
  ]
}`;

test("each fault has its pointer, line and column, what is wrong, and what was likely meant", () => {
  const checked = check(TEXT, "Package");
  assert.ok("faults" in checked);
  assert.deepEqual(
    checked.faults.map(({ pointer, line, column, fix }) => [pointer, line, column, fix]),
    [
      ["/identifier", 5, 17, "org.example.my-router"],
      ["/author/contact/Web", 7, 50, undefined],
      ["/license", 8, 14, "GPL-3.0"],
      ["/tags/0", 10, 12, "auto-router"],
      ["/versions/0/tool_version", 12, 5, undefined],
      ["/versions/0/version", 12, 18, "1.2.0"],
      ["/versions/0/status", 12, 41, "stable"],
      ["/versions/0/platforms/0", 12, 65, "windows"],
    ],
  );
  assert.equal(checked.faults.find(({ pointer }) => pointer === "/license")?.message, "is not on the list");
  assert.equal(checked.faults.find(({ pointer }) => pointer.endsWith("tool_version"))?.message, "is missing");
});

test("a valid value is returned unchanged", () => {
  const right = TEXT.replace("my_router", "router").replace('"Web"', '"web"').replace("GPL-3.0-or-later", "GPL-3.0");
  const version = '"versions": []';
  const text = right.replace('"Auto Router"', '"auto"').replace(/"versions": \[[\s\S]*\]/, version);
  assert.deepEqual(check(text, "Package"), { value: JSON.parse(text) });
});

test("no fix is offered that would be refused too", () => {
  const checked = check('{"version":"vNext","status":"beta","tool_version":"7"}', "PackageVersion");
  assert.ok("faults" in checked);
  assert.deepEqual(
    checked.faults.map(({ pointer, fix }) => [pointer, fix]),
    [
      ["/version", undefined],
      ["/status", undefined],
    ],
  );
});

test("for text that is not JSON, the position where parsing stopped is reported", () => {
  const checked = check('{\n  "name": oops\n}', "Package");
  assert.deepEqual(checked, {
    faults: [{ rule: "json", pointer: "", line: 2, column: 11, message: "is not valid JSON" }],
  });
  const place = (text: string) => {
    const told = check(text, "Package");
    return "faults" in told && [told.faults[0]?.line, told.faults[0]?.column];
  };
  assert.deepEqual(place(""), [1, 1]);
  assert.deepEqual(place(`{"a":"\u007f\\u00e9",\n "b": tru }`), [2, 7]);
  assert.deepEqual(place('{"a":1,\n'), [2, 1]);
  assert.deepEqual(place('{"a":\n"b\\x"}'), [2, 4]);
  assert.deepEqual(place(`{"a":"${"x".repeat(10_000_000)}"\n`), [2, 1]);
  assert.ok("faults" in check('{"name"', "Package"));
});

test("however much is wrong, the number of faults is limited", () => {
  const checked = check(JSON.stringify({ packages: Array.from({ length: 5_000 }, () => ({})) }), "PackageArray");
  assert.ok("faults" in checked);
  assert.equal(checked.faults.length, 200);
});

const VERSION = '{"version":"1","status":"stable","tool_version":"7"}';

test("a text designed to be slow is checked as quickly as any other", () => {
  const letters = 1_000_000;
  for (const [field, value] of [
    ["version", `${"-".repeat(letters)}\n`],
    ["status", " ".repeat(letters)],
    ["download_url", `https://${"a".repeat(letters)} `],
    ["download_url", `${"file:///".repeat(letters)}\0`],
    ["tool_version", "1.".repeat(letters)],
  ] as const) {
    const checked = check(JSON.stringify({ ...JSON.parse(VERSION), [field]: value }), "PackageVersion");
    assert.ok("faults" in checked);
    assert.deepEqual(
      checked.faults.map(({ pointer, fix }) => [pointer, fix]),
      [[`/${field}`, undefined]],
    );
  }
  const loosely = createChecker("tool", { looseUrls: true });
  const text = JSON.stringify({ ...JSON.parse(VERSION), download_url: `${"file:///".repeat(letters)}\0` });
  assert.ok("faults" in loosely(text, "PackageVersion"));
});

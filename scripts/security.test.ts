import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..");

const PROMISE = /^- .+(?:\n {2}.+)*/gm;
/** Tests of one file: `"title", "title" (file)`. */
const NAMED = /("[^"]+"(?:, "[^"]+")*) \(`([^`]+)`\)/;
const ENDING = new RegExp(` Tests?: ${NAMED.source}(?:, ${NAMED.source})*\\.$`);
const TITLE = /\b(?:test|rule|it|describe|suite)\(\s*(["'`])((?:\\.|(?!\1).)+)\1/g;

/** As a document names them: an engine at the start is left out, other parts that vary are `…`. */
function titlesIn(file: string): string[] {
  if (!/\.(test|suite)\.ts$/.test(file) || !existsSync(join(root, file))) return [];
  const titles = readFileSync(join(root, file), "utf8").matchAll(TITLE);
  return [...titles].map(([, , title = ""]) => title.replace(/\$\{[^}]*\}/g, "…").replace(/^…[:;] /, ""));
}

/** Promises that do not end with the tests that hold them, and tests that do not exist. The end of a long title may be left out. */
function faultsOf(document: string): string[] {
  const onOneLine = (text: string) => text.replace(/\\?\s+/g, " ");
  const promised = /^## What is promised$(.+?)^## /ms.exec(document)?.[1] ?? "";
  const promises = [...promised.matchAll(PROMISE)].map(([text]) => onOneLine(text));
  const unknown = [...onOneLine(document).matchAll(new RegExp(NAMED, "g"))].flatMap(([, titles = "", file = ""]) => {
    const known = titlesIn(file);
    const named = titles.split(/(?<="), (?=")/).map((title) => title.slice(1, -1));
    return named.filter((title) => !known.some((each) => each.startsWith(title))).map((title) => `${title} in ${file}`);
  });
  return [
    ...promises.filter((text) => !ENDING.test(text)).map((text) => `no test: ${text}`),
    ...unknown.map((text) => `unknown: ${text}`),
  ];
}

test("every promise in SECURITY.md names tests that exist", () => {
  const document = readFileSync(join(root, "SECURITY.md"), "utf8");
  assert.ok(document.split("\n- ").length > 50);
  assert.deepEqual(faultsOf(document), []);
});

test("what devices may send names tests that exist", () => {
  const document = readFileSync(join(root, "packages/devices/README.md"), "utf8");
  assert.ok(/^## Hostile input$/m.test(document));
  assert.deepEqual(faultsOf(document), []);
});

test("a promise without a test, an unknown title and an unknown file are found", () => {
  const here = "(`scripts/security.test.ts`)";
  const lines = [
    `- It is safe.\\\n  Tests: "every promise in SECURITY.md", "a promise without a\n  test" ${here}, "a promise" ${here}.`,
    "- It is fast.",
    `- It is new.\\\n  Test: "it is new" ${here}.`,
    '- It is old.\\\n  Test: "it is old" (`scripts/old.test.ts`).',
    `- It is cheap. Test: "a promise" ${here}, and more.`,
  ];
  assert.deepEqual(faultsOf(`## What is promised\n\n${lines.join("\n")}\n\n## Else\n\n- Nothing.`), [
    "no test: - It is fast.",
    `no test: - It is cheap. Test: "a promise" ${here}, and more.`,
    "unknown: it is new in scripts/security.test.ts",
    "unknown: it is old in scripts/old.test.ts",
  ]);
});

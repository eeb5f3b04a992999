import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findDuplicates } from "./duplicates.ts";
import { countImporters } from "./importers.ts";
import { longFunctions } from "./long-functions.ts";
import { productFiles } from "./product-files.ts";

const root = join(import.meta.dirname, "../..");

/** Why two product files may share a run of lines. */
const ALLOWED_DUPLICATES: Record<string, string> = {
  "packages/gateway/src/watchdog/page/page.css packages/web/src/workspace/panels/panel-tools.css":
    "Two switches that look alike on two pages that share no style sheet but the tokens.",
  "packages/viewer/src/page/page.css packages/web/src/workspace/parts/dialog.css":
    "Keys that look alike on two pages that share no style sheet but the tokens.",
};

test("no run of six or more lines is in two product files, unless there is a reason", () => {
  const sources = productFiles(root).map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
  const found = findDuplicates(sources, 6).filter(({ a, b }) => !(`${a.path} ${b.path}` in ALLOWED_DUPLICATES));
  assert.deepEqual(found, []);
});

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `call(${from + index});`);

test("a run of lines that two files share is found once, with its length, whatever blank lines and comments are in it", () => {
  const a = ["first();", ...numbered(1, 8), "last();"].join("\n");
  const b = ["other();", ...numbered(1, 4), "", "// a comment", "  }", ...numbered(5, 8)].join("\n");
  const found = findDuplicates(
    [
      { path: "a.ts", text: a },
      { path: "b.ts", text: b },
    ],
    6,
  );
  assert.deepEqual(found, [{ a: { path: "a.ts", line: 2 }, b: { path: "b.ts", line: 2 }, lines: 8 }]);
});

test("shorter runs, and runs within one file, are not found", () => {
  const short = numbered(1, 5).join("\n");
  const twice = [...numbered(10, 17), "between();", ...numbered(10, 17)].join("\n");
  const sources = ["a.ts", "b.ts"].map((path) => ({ path, text: short }));
  assert.deepEqual(findDuplicates([...sources, { path: "c.ts", text: twice }], 6), []);
});

test("functions over the limit are found with their name and line, in a second file too", async () => {
  const body = numbered(1, 10).join("\n");
  const text = `// häuschen\n\nconst short = () => 1;\nexport function long() {\n${body}\n}\nconst arrow = () => {\n${body}\n};\n`;
  await longFunctions({ path: "first.ts", text: "export const a = 1;\n" }, 10);
  assert.deepEqual(await longFunctions({ path: "second.ts", text }, 10), [
    { path: "second.ts", line: 4, name: "long", lines: 12 },
    { path: "second.ts", line: 16, name: "arrow", lines: 12 },
  ]);
  assert.deepEqual(await longFunctions({ path: "second.ts", text }, 12), []);
});

test("importers are counted over relative paths, exports of packages and worker files, each file once", (t) => {
  const root = mkdtempSync(join(tmpdir(), "importers-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, "packages/kit/src"), { recursive: true });
  const manifest = { name: "@x/kit", exports: { "./log": "./src/log.ts", "./area/*": "./src/*.ts" } };
  writeFileSync(join(root, "packages/kit/package.json"), JSON.stringify(manifest));
  writeFileSync(join(root, "packages/kit/src/b.ts"), "");
  const counts = countImporters(root, [
    { path: "packages/kit/src/a.ts", text: `import { b } from "./b.ts";\nimport type { B } from "./b.ts";` },
    { path: "packages/cli/src/c.ts", text: `import { log } from "@x/kit/log";\nexport { b } from "@x/kit/area/b";` },
    {
      path: "packages/cli/src/d.ts",
      text: `await import("@x/kit/log");\nnew Worker(new URL("./c.ts", import.meta.url));`,
    },
  ]);
  assert.equal(counts.get("packages/kit/src/b.ts"), 2);
  assert.equal(counts.get("packages/kit/src/log.ts"), 2);
  assert.equal(counts.get("packages/cli/src/c.ts"), 1);
  assert.equal(counts.get("packages/kit/src/a.ts"), undefined);
});

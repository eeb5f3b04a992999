import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..");
const DOCUMENTS = ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md", "SECURITY.md", "STYLE.md"];

for (const document of DOCUMENTS) {
  test(`${document} names only files that exist`, () => {
    const text = readFileSync(join(root, document), "utf8");
    const inCode = [...text.matchAll(/`((?:packages|scripts|docs|e2e|bench|examples)\/[\w./-]+)`/g)];
    const inLinks = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)];
    for (const [, path = ""] of [...inCode, ...inLinks]) assert.ok(existsSync(join(root, path)), path);
  });
}

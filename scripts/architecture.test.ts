import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..");
const DOCUMENTS = ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md", "SECURITY.md", "STYLE.md"];
const READMES = globSync("packages/*/README.md", { cwd: root }).sort();

for (const document of [...DOCUMENTS, ...READMES]) {
  test(`${document} names only files that exist`, () => {
    const text = readFileSync(join(root, document), "utf8");
    for (const [, path = ""] of text.matchAll(/`((?:packages|scripts|docs|e2e|bench|examples)\/[\w./-]+)`/g)) {
      assert.ok(existsSync(join(root, path)), path);
    }
    for (const [, path = ""] of text.matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)) {
      assert.ok(existsSync(join(root, dirname(document), path)), path);
    }
  });
}

for (const document of READMES) {
  test(`files that ${document} names without their package are in its src`, () => {
    const text = readFileSync(join(root, document), "utf8");
    const inside = [...text.matchAll(/`(?!packages\/|dist\/)([\w-]+(?:\/[\w-]+)*(?:\/|\.tsx?))`/g)].map(
      ([, path = ""]) => path,
    );
    const folder = join(root, dirname(document));
    for (const path of inside) {
      const found = [path, `src/**/${path}`].some((pattern) => globSync(pattern, { cwd: folder }).length > 0);
      assert.ok(found, path);
    }
  });
}

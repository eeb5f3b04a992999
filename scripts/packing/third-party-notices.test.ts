import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { rolldown } from "rolldown";
import { packageFolder, thirdPartyNotices } from "./third-party-notices.ts";

test("the folder of a package is found below nested and scoped folders; own files have none", () => {
  assert.equal(packageFolder("/x/node_modules/react/index.js"), "/x/node_modules/react");
  assert.equal(packageFolder("/x/node_modules/a/node_modules/@b/c/lib/d.js"), "/x/node_modules/a/node_modules/@b/c");
  assert.equal(packageFolder("/x/src/main.ts"), undefined);
});

test("the notices name what is in the bundle, with its licence, and nothing else", async (t) => {
  const root = mkdtempSync(join(tmpdir(), "notices-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const name of ["used", "unused"]) {
    const folder = join(root, "node_modules", name);
    mkdirSync(folder, { recursive: true });
    const manifest = { name, version: "1.2.3", license: "MIT", main: "index.js", type: "module" };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(folder, "LICENSE"), `Copyright of ${name}\n`);
    writeFileSync(join(folder, "index.js"), `export const value = ${JSON.stringify(name)};`);
  }
  writeFileSync(join(root, "main.js"), `import { value } from "used";\nconsole.log(value);`);
  const bundle = await rolldown({ cwd: root, input: "main.js", plugins: [thirdPartyNotices()] });
  const { output } = await bundle.generate();
  await bundle.close();
  const notices = output.find(({ fileName }) => fileName === "third-party-notices.txt");
  assert.equal(notices?.type === "asset" && notices.source, "used 1.2.3 (MIT)\n\nCopyright of used");
});

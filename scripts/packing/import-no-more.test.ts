import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempDisposableSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { bundle } from "./bundle.ts";
import { importNoMore } from "./quick-start.ts";

const PROGRAM = `
  import * as path from "node:path";
  import host, { env as variables } from "node:process";
  import { createHash } from "node:crypto";
  import { existsSync, readFileSync as read } from "node:fs";

  if (host.argv[2] === "hash") console.log(createHash("sha256").update("x").digest("hex"));
  else console.log(path.sep, existsSync("/"), typeof read, host.env === variables);
  console.log(host.moduleLoadList.join(" "));
`;
/** Classes and constants cannot wait until they are called. */
const VALUES = `
  import { constants, KeyObject } from "node:crypto";
  console.log(typeof constants, KeyObject.name);
  console.log(\`text:
import { cpus } from "node:os";\`);
`;

test("a bundle asks Node's own modules for what it names, and loads cryptography when it is called", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "import-no-more-"));
  const [program, values] = [join(folder.path, "program.mjs"), join(folder.path, "values.mjs")];
  writeFileSync(program, PROGRAM);
  writeFileSync(values, VALUES);
  const built = join(folder.path, "dist");
  await bundle({ program, values }, { folder: built, plugins: [importNoMore] });
  assert.deepEqual(readdirSync(built).sort(), ["program.js", "values.js"]);
  const run = (name: string, ...words: string[]): string[] =>
    execFileSync(process.execPath, [join(built, name), ...words], { encoding: "utf8" }).split("\n");
  const [said, loaded = ""] = run("program.js");
  assert.equal(said, "/ true function true");
  assert.doesNotMatch(loaded, /internal\/fs\/promises|internal\/crypto\/(hash |webcrypto)/);
  assert.match(run("program.js", "hash")[0] ?? "", /^2d711642\w+$/);
  assert.deepEqual(run("values.js").slice(0, 3), ["object KeyObject", "text:", 'import { cpus } from "node:os";']);
});

// `npm test` and `npm run check`: does what is missing, then runs test.ts on the project's own Node.
import { join } from "node:path";
import process from "node:process";
import { runChild } from "./bootstrap/run-child.mjs";
import { ensureInstalled, projectNode, refuseUnsupported, root } from "./bootstrap.mjs";

try {
  const refusal = refuseUnsupported({ platform: process.platform, version: process.versions.node });
  if (refusal !== undefined) throw new Error(refusal);
  await ensureInstalled({ withDev: true });
  const preload = ["--import", join(root, "scripts/bootstrap/end-with-parent.mjs")];
  const args = [...preload, join(root, "scripts/test.ts"), ...process.argv.slice(2)];
  process.exitCode = await runChild(projectNode, args, { endGroup: true });
} catch (error) {
  process.stderr.write(`${error.message}\n0 passed, 1 failed\n`);
  process.exitCode = 1;
}

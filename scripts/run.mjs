// Runs a script of this project on its own Node, after installing what is missing: `node scripts/run.mjs FILE [ARGS]`.
import { join } from "node:path";
import process from "node:process";
import { runChild } from "./bootstrap/run-child.mjs";
import { ensureInstalled, projectNode, refuseUnsupported, root } from "./bootstrap.mjs";

try {
  const refusal = refuseUnsupported({ platform: process.platform, version: process.versions.node });
  if (refusal !== undefined) throw new Error(refusal);
  await ensureInstalled({ withDev: true });
  const preload = ["--import", join(root, "scripts/bootstrap/end-with-parent.mjs")];
  process.exitCode = await runChild(projectNode, [...preload, ...process.argv.slice(2)]);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

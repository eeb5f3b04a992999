// `npm start` and `./backplane up`: do what is missing, then run `backplane up`. With --prepare, only the first part.
import { join } from "node:path";
import process from "node:process";
import { runChild } from "./bootstrap/run-child.mjs";
import { ensureBuilt, ensureInstalled, projectNode, refuseUnsupported, root } from "./bootstrap.mjs";

try {
  const refusal = refuseUnsupported({ platform: process.platform, version: process.versions.node });
  if (refusal !== undefined) throw new Error(refusal);
  await ensureInstalled({ withDev: false });
  await ensureBuilt();
  const [task, ...args] = process.argv.slice(2);
  if (task === "up") {
    const backplane = join(root, "packages/cli/bin/backplane.js");
    process.exitCode = await runChild(projectNode, [backplane, "up", ...args]);
  }
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

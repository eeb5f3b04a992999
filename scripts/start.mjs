// `npm start` and `./backplane up`: do what is missing, then run `backplane up`. With --prepare, only the first part.
import process from "node:process";
import { compileCache, lastBuilt } from "../packages/cli/bin/built.js";
import { takenPorts } from "../packages/cli/src/taken-ports.js";
import { runChild } from "./bootstrap/run-child.mjs";
import { ensureBuilt, ensureInstalled, projectNode, refuseUnsupported } from "./bootstrap.mjs";

const asksForHelp = (args) => args.includes("--help") || args.includes("-h");

try {
  const refusal = refuseUnsupported({ platform: process.platform, version: process.versions.node });
  if (refusal !== undefined) throw new Error(refusal);
  const [task, ...args] = process.argv.slice(2);
  // Before minutes of installing: `up` would not start.
  const taken = task === "up" && !asksForHelp(args) ? await takenPorts(process.env, process.cwd()) : [];
  if (taken.length > 0) throw new Error(taken.join("\n"));
  await ensureInstalled({ withDev: false });
  await ensureBuilt();
  if (task === "up") {
    process.env.NODE_COMPILE_CACHE ??= compileCache();
    // Nobody has to look again whether a source is newer.
    const words = [lastBuilt("cli"), "up", ...args];
    // The same process, if this Node can: a second one would only wait, with 35 MB. `up` ends when what started this one has ended.
    const env = { ...process.env, ENDS_WITH_PID: String(process.ppid) };
    process.execve?.(projectNode, [projectNode, ...words], env);
    process.exitCode = await runChild(projectNode, words);
  }
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

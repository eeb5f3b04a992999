#!/usr/bin/env node
// Plain JavaScript: the Node that runs this may be too old for the program, which then runs on the one that npm installed.
import module from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtProgram, compileCache } from "./built.js";

const OLDEST_NODE = 24;
// Not an import: see built.js.
const { readFileSync } = module.createRequire(import.meta.url)("node:fs");
const here = dirname(fileURLToPath(import.meta.url));

if (["version", "--version", "-v"].includes(process.argv.slice(2).join(" "))) {
  // Scripts ask for it often, and it needs no program, nor a look whether one is up to date.
  const { version } = JSON.parse(readFileSync(join(here, "..", "package.json"), "utf8"));
  // A reader that has closed the pipe already is not a fault.
  process.stdout.on("error", () => {}).write(`${version}\n`);
} else await run(builtProgram("cli") ?? join(here, "..", "src", "main.ts"));

async function run(program) {
  process.env.NODE_COMPILE_CACHE ??= compileCache();
  if (Number.parseInt(process.versions.node, 10) >= OLDEST_NODE) {
    module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
    await import(program);
  } else {
    const { spawn } = await import("node:child_process");
    const node = join(dirname(module.createRequire(import.meta.url).resolve("node/package.json")), "bin", "node");
    // When this process is killed outright, the closed channel tells the program. Other signals are passed on.
    const child = spawn(node, [program, ...process.argv.slice(2)], { stdio: ["inherit", "inherit", "inherit", "ipc"] });
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
    child.once("error", ({ message }) => {
      console.error(
        `Node ${OLDEST_NODE} or newer is needed, and the one that comes with Backplane does not start. (${message})`,
      );
      process.exitCode = 1;
    });
    child.once("exit", (code) => {
      process.exitCode = code ?? 1;
    });
  }
}

// Plain JavaScript, because it runs before the project's own Node does.
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// An import would make Node load all that it exports, such as promises and streams, which takes a short command 3 ms.
const { existsSync, readdirSync, readFileSync, statSync } = createRequire(import.meta.url)("node:fs");

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");

/** Whether this is a clone. A package that npm installed has no sources, and its files are as old as the install. */
export const isClone = (root = ROOT) => existsSync(join(root, "package-lock.json"));

/** What programs are built from, as paths from the root: all but the web app, which they serve as files. */
export function programInputs(root = ROOT) {
  const packages = readdirSync(join(root, "packages")).filter((name) => name !== "web");
  const how = ["package-lock.json", "scripts/build-programs.ts", "scripts/packing"];
  return [...packages.map((name) => `packages/${name}/src`), ...how];
}

/**
 * Half the time of a short command is spent compiling. Node keeps compiled code in this folder, also for the processes that a command
 * starts; if it cannot be written, code is compiled each time. Only root may write to most installed packages.
 */
export const compileCache = (root = ROOT) =>
  isClone(root)
    ? join(root, "node_modules", ".cache", "backplane")
    : join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "backplane");

/** The built form of a program, whether or not it is up to date. */
export const lastBuilt = (name, root = ROOT) =>
  join(root, "dist", readFileSync(join(root, "dist", "current"), "utf8"), `${name}.js`);

/**
 * The built form of a program (see scripts/build-programs.ts), which starts several times as fast as its source.
 * Undefined when there is none, or when something that a clone built it from is newer.
 */
export function builtProgram(name, root = ROOT) {
  try {
    const current = join(root, "dist", "current");
    const builtAtMs = statSync(current).mtimeMs;
    if (isClone(root) && programInputs(root).some((input) => isNewer(join(root, input), builtAtMs))) return undefined;
    return lastBuilt(name, root);
  } catch {
    return undefined;
  }
}

const isTest = (name) => /\.(test|suite)\.ts$/.test(name);

function isNewer(path, thanMs) {
  const stat = statSync(path);
  return stat.isDirectory() ? hasNewer(path, thanMs) : stat.mtimeMs > thanMs;
}

/** Runs before every command, so it makes as few system calls as possible. */
function hasNewer(folder, thanMs) {
  return readdirSync(folder, { withFileTypes: true }).some((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return hasNewer(path, thanMs);
    return !isTest(entry.name) && statSync(path).mtimeMs > thanMs;
  });
}

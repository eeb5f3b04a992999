// Plain JavaScript, because it runs before the project's own Node does.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");

/** Whether this is a clone. A package that npm installed has no sources, and its files are as old as the install. */
export const isClone = (root = ROOT) => existsSync(join(root, "package-lock.json"));

/** What programs are built from, as paths from the root: all but the web app, which they serve as files. */
export function programInputs(root = ROOT) {
  const packages = readdirSync(join(root, "packages")).filter((name) => name !== "web");
  return [...packages.map((name) => `packages/${name}/src`), "package-lock.json", "scripts/build-programs.ts"];
}

/**
 * The built form of a program (see scripts/build-programs.ts), which starts several times as fast as its source.
 * Undefined when there is none, or when something that a clone built it from is newer.
 */
export function builtProgram(name, root = ROOT) {
  try {
    const current = join(root, "dist", "current");
    const builtAtMs = statSync(current).mtimeMs;
    if (isClone(root) && programInputs(root).some((input) => isNewer(join(root, input), builtAtMs))) return undefined;
    return join(root, "dist", readFileSync(current, "utf8"), `${name}.js`);
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

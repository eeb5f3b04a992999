// Plain JavaScript, because it runs before the project's own Node does.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");

/**
 * The built form of a program (see scripts/build-programs.ts), which starts several times as fast as its source.
 * Undefined when there is none, or when a source has changed since it was built.
 */
export function builtProgram(name) {
  try {
    const current = join(root, "dist", "current");
    const builtAtMs = statSync(current).mtimeMs;
    const packages = join(root, "packages");
    const sources = readdirSync(packages).filter((folder) => folder !== "web");
    if (sources.some((folder) => hasNewer(join(packages, folder, "src"), builtAtMs))) return undefined;
    return join(root, "dist", readFileSync(current, "utf8").slice(0, 12), `${name}.js`);
  } catch {
    return undefined;
  }
}

const isTest = (name) => /\.(test|suite)\.ts$/.test(name);

function hasNewer(folder, thanMs) {
  return readdirSync(folder, { withFileTypes: true }).some((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return hasNewer(path, thanMs);
    return !isTest(entry.name) && statSync(path).mtimeMs > thanMs;
  });
}

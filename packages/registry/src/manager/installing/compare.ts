import { type ArchiveFile, INSTALLED_FOLDERS } from "../../archives/archive.ts";
import type { Manifest } from "../../repository/manifests-json.ts";
import { InstallationFault } from "../faults.ts";
import { type KeepMatches, matchKeepPatterns } from "./keep-patterns.ts";
import { installedPath, packageFolder } from "./layout.ts";
import { type FoundFile, hasBytes, listTree } from "./tree.ts";

/** The package's files on disk and those of an archive; without an archive the package is removed. */
export type Comparison = {
  root: string;
  identifier: string;
  incoming: readonly ArchiveFile[];
  /** Absent if another program installed the package. */
  manifest: Manifest | undefined;
  isInstalled: boolean;
  patterns: readonly string[];
  /** A repair restores missing and altered files and leaves everything else alone. */
  isRepair: boolean;
};

/** Paths relative to the root. `carried` are the files that move from the old folders to the new ones. */
export type Differences = {
  added: string[];
  replaced: string[];
  kept: string[];
  deleted: string[];
  changed: string[];
  carried: string[];
  warnings: string[];
};

const nothing = (): Differences => ({
  added: [],
  replaced: [],
  kept: [],
  deleted: [],
  changed: [],
  carried: [],
  warnings: [],
});

/** "plugins/com_example_x" */
const PACKAGE_FOLDER_DEPTH = 2;

export const byInstalledPath = (identifier: string, files: readonly ArchiveFile[]): Map<string, ArchiveFile> =>
  new Map(files.map((file) => [installedPath(identifier, file.path), file]));

/** Every file of the package, in all folders. */
export async function listPackage(root: string, identifier: string): Promise<FoundFile[]> {
  const trees = INSTALLED_FOLDERS.map((folder) => listTree(root, packageFolder(folder, identifier)));
  return (await Promise.all(trees)).flat();
}

export async function compareFiles(comparison: Comparison): Promise<Differences> {
  const { root, identifier } = comparison;
  const found = await listPackage(root, identifier);
  const paths = new Set(found.map(({ path }) => path));
  const incoming = byInstalledPath(identifier, comparison.incoming);
  const matches = matchKeepPatterns(comparison.patterns, [...paths]);
  const added = [...incoming.keys()].filter((path) => !paths.has(path)).sort();
  const differences: Differences = { ...nothing(), added, warnings: [...matches.warnings, ...linkWarnings(found)] };
  const sides: Sides = { found, incoming, matches, isInTheWay: clashes(incoming) };
  await (comparison.isRepair ? compareForRepair : compareForChange)(comparison, sides, differences);
  return differences;
}

type Sides = {
  found: FoundFile[];
  incoming: ReadonlyMap<string, ArchiveFile>;
  matches: KeepMatches;
  isInTheWay: (path: string) => boolean;
};

async function compareForChange(comparison: Comparison, sides: Sides, differences: Differences): Promise<void> {
  const { root, identifier, manifest, isInstalled } = comparison;
  const { kept, undecided } = sides.matches;
  const old = manifest && byInstalledPath(identifier, manifest.files);
  for (const file of sides.found) {
    const { path } = file;
    const next = sides.incoming.get(path);
    const before = old?.get(path);
    const isOwn = async () =>
      !isInstalled || (old !== undefined && (before === undefined || !(await hasBytes(root, file, before))));

    // An unusable pattern was meant to keep something, so files that the user made or changed are kept.
    const isSaved = undecided.has(path) && (old === undefined ? next === undefined : await isOwn());
    if (kept.has(path) || isSaved) {
      if (sides.isInTheWay(path)) throw inTheWay(path);
      differences.kept.push(path);
      differences.carried.push(path);
      continue;
    }
    (next === undefined ? differences.deleted : differences.replaced).push(path);
    const isSame = next !== undefined && (await hasBytes(root, file, next));
    if (!isSame && (await isOwn())) differences.changed.push(path);
  }
}

async function compareForRepair({ root }: Comparison, sides: Sides, differences: Differences): Promise<void> {
  for (const file of sides.found) {
    const { path } = file;
    const isKept = sides.matches.kept.has(path);
    const next = sides.incoming.get(path);
    if (isKept) differences.kept.push(path);
    if (next !== undefined && !isKept) {
      if (await hasBytes(root, file, next)) continue;
      differences.replaced.push(path);
      differences.changed.push(path);
    } else if (!sides.isInTheWay(path)) {
      differences.carried.push(path);
    } else {
      if (isKept) throw inTheWay(path);
      differences.deleted.push(path);
      differences.changed.push(path);
    }
  }
}

function linkWarnings(found: readonly FoundFile[]): string[] {
  return found
    .filter(({ path, kind }) => kind === "link" && path.split("/").length === PACKAGE_FOLDER_DEPTH)
    .map(({ path }) => `${path} is a symbolic link. Only the link is removed, not its target.`);
}

/** Whether the archive has a folder where the file is, or a file where one of its folders is. */
function clashes(incoming: ReadonlyMap<string, ArchiveFile>): (path: string) => boolean {
  const folders = new Set([...incoming.keys()].flatMap(foldersAbove));
  return (path) => folders.has(path) || foldersAbove(path).some((folder) => incoming.has(folder));
}

function foldersAbove(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

function inTheWay(path: string): InstallationFault {
  const message = `${path} is kept on update, but the new version has a folder or file of the same name. Move it elsewhere, then try again.`;
  return new InstallationFault("kept-in-the-way", message, { path });
}

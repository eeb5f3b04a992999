import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { folderOf, INSTALLED_FOLDERS, type InstalledFolder } from "../../archives/archive.ts";
import { isLooseIdentifier } from "../../values.ts";
import { InstallationFault, ifThere } from "../faults.ts";

/** Where things are in an installation. What is not the field's is below `.backplane`, on the same file system. */
export type Layout = {
  root: string;
  /** May be elsewhere, also on another file system: where the design tool itself keeps it. */
  state: string;
  /** Its next bytes, before they take its place in one rename: on its file system. */
  stateSpare: string;
  own: string;
  lock: string;
  holder: string;
  journal: string;
  staging: string;
  trash: string;
  manifests: string;
};

export const STATE_FILE = "installed_packages.json";
const OWN_FOLDER = ".backplane";

/** Both as they really are, without links. */
export function layoutOf(root: string, state: string = join(root, STATE_FILE)): Layout {
  const own = join(root, OWN_FOLDER);
  return {
    root,
    state,
    stateSpare: dirname(state) === root ? join(own, "staging", "state.new") : `${state}.backplane-new`,
    own,
    lock: join(own, "lock"),
    holder: join(own, "lock-holder.json"),
    journal: join(own, "journal.json"),
    staging: join(own, "staging"),
    trash: join(own, "trash"),
    manifests: join(own, "manifests"),
  };
}

/** "plugins/com_example_x" */
export const packageFolder = (folder: InstalledFolder, identifier: string): string =>
  `${folder}/${folderOf(identifier)}`;

/** Where a file of an archive is installed: "plugins/main.py" to "plugins/com_example_x/main.py". */
export function installedPath(identifier: string, path: string): string {
  const slash = path.indexOf("/");
  return `${path.slice(0, slash)}/${folderOf(identifier)}${path.slice(slash)}`;
}

/** Which of the installed folders a path is in; undefined: in none. */
export function topFolder(path: string): InstalledFolder | undefined {
  const [top] = path.split("/", 1);
  return INSTALLED_FOLDERS.find((folder) => folder === top && path.length > folder.length + 1);
}

export const onDisk = (root: string, path: string): string => join(root, ...path.split("/"));

export const manifestFile = (layout: Layout, identifier: string): string =>
  join(layout.manifests, `${identifier}.json`);

export function requireIdentifier(identifier: string): void {
  if (isLooseIdentifier(identifier)) return;
  throw new InstallationFault("bad-identifier", `"${identifier}" is not the identifier of a package.`, { identifier });
}

/** As many as Linux follows. */
const MAX_LINKS = 40;

/**
 * Where installed_packages.json really is. A link in its place is one that the person made, such as into a folder
 * that is under version control: what it leads to is the file, also when that is not there yet.
 */
export async function stateFileOf(root: string, given: string | undefined): Promise<string> {
  if (given !== undefined && !isAbsolute(given)) throw new RangeError(`"${given}" is not an absolute path.`);
  const path = given ?? join(root, STATE_FILE);
  let file = path;
  for (let links = 0; links < MAX_LINKS; links++) {
    const stats = await ifThere(lstat(file));
    if (!stats?.isSymbolicLink()) return await withRealFolder(file);
    file = resolve(dirname(file), await readlink(file));
  }
  const message = `${path} is a link that leads to itself. Put a plain file in its place, then try again.`;
  throw new InstallationFault("link-in-the-way", message, { path });
}

/** It is not made: the tool takes a settings folder that is there for one that it has set up. */
async function withRealFolder(file: string): Promise<string> {
  const folder = await ifThere(realpath(dirname(file)));
  if (folder !== undefined) return join(folder, basename(file));
  const message = `The list of installed packages cannot be kept in ${dirname(file)}: there is no such folder. Start the tool once, or make it, then try again.`;
  throw new InstallationFault("no-state-folder", message, { path: dirname(file) });
}

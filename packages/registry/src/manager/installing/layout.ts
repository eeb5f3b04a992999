import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { folderOf, INSTALLED_FOLDERS, type InstalledFolder } from "../../archives/archive.ts";
import { isLooseIdentifier } from "../../values.ts";
import { InstallationFault, ifExists } from "../faults.ts";

/** The files of an installation. Those that KiCad does not know are in `.backplane`, on the same file system. */
export type Layout = {
  root: string;
  /** Where the design tool keeps its list; possibly on another file system. */
  state: string;
  /** The next content of the list, before one rename puts it in place; on the same file system. */
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

/** Both paths without symbolic links. */
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

/** Where a file of an archive is installed: "plugins/main.py" becomes "plugins/com_example_x/main.py". */
export function installedPath(identifier: string, path: string): string {
  const slash = path.indexOf("/");
  return `${path.slice(0, slash)}/${folderOf(identifier)}${path.slice(slash)}`;
}

/** The installed folder that a path is in. */
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

/** The same limit as in Linux. */
const MAX_LINKS = 40;

/**
 * The real path of installed_packages.json. A link was made by the user, for example into a folder under version
 * control; its target is the file, even if it does not exist yet.
 */
export async function stateFileOf(root: string, given: string | undefined): Promise<string> {
  if (given !== undefined && !isAbsolute(given)) throw new RangeError(`"${given}" is not an absolute path.`);
  const path = given ?? join(root, STATE_FILE);
  let file = path;
  for (let links = 0; links < MAX_LINKS; links++) {
    const stats = await ifExists(lstat(file));
    if (!stats?.isSymbolicLink()) return await withRealFolder(file);
    file = resolve(dirname(file), await readlink(file));
  }
  const message = `${path} is a link that leads to itself. Replace it by a real file, then try again.`;
  throw new InstallationFault("link-in-the-way", message, { path });
}

/** The folder is not created: the tool takes an existing settings folder for one that it has set up. */
async function withRealFolder(file: string): Promise<string> {
  const folder = await ifExists(realpath(dirname(file)));
  if (folder !== undefined) return join(folder, basename(file));
  const message = `The list of installed packages cannot be stored in ${dirname(file)}, which does not exist. Start the tool once, or create the folder, then try again.`;
  throw new InstallationFault("no-state-folder", message, { path: dirname(file) });
}

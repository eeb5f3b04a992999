import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { InstallationFault } from "../manager-fault.ts";
import { ifThere } from "./faults.ts";
import { STATE_FILE } from "./layout.ts";

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

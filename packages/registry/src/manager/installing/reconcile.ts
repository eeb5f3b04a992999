import { lstat, open, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isLooseIdentifier } from "../../values.ts";
import { InstallationFault, ifExists, systemCode } from "../faults.ts";
import type { InstalledEntry } from "../manager-types.ts";
import { replaceState, type Site } from "./commit.ts";
import { listPackage } from "./compare.ts";
import { manifestFile, STATE_FILE } from "./layout.ts";
import { entriesOf, isUnidentified, rawEntry, readState, type State, sharesFolder, withEntry } from "./state-file.ts";

/**
 * Before the design tool was started for the first time, its own folder did not exist and the list was kept in the root.
 * Entries in it that are still installed move to the tool's list, once; entries that the tool already has win.
 */
export async function adoptRootState(site: Site): Promise<void> {
  const { layout, disk } = site;
  const file = join(layout.root, STATE_FILE);
  if (layout.state === file || !(await ifExists(lstat(file)))?.isFile()) return;
  const old = await readOld(site, file);
  if (old === undefined) return;
  for (const entry of entriesOf(old)) {
    const { identifier } = entry.package;
    const state = await readState(layout);
    if (!isLooseIdentifier(identifier) || isUnidentified(entry) || isKnown(state, identifier)) continue;
    if ((await listPackage(layout.root, identifier)).length === 0) continue;
    const bytes = withEntry(state, identifier, rawEntry(old, identifier) ?? null);
    if (bytes === undefined) continue;
    await disk.makeFolder(layout.staging);
    await replaceState(site, bytes);
  }
  await disk.flushFolder(dirname(layout.state));
  await disk.rename(file, `${file}.moved`);
}

async function readOld({ layout }: Site, file: string): Promise<State | undefined> {
  try {
    return await readState({ ...layout, state: file });
  } catch (error) {
    if (error instanceof InstallationFault) return undefined;
    throw error;
  }
}

const isKnown = (state: State, identifier: string): boolean =>
  entriesOf(state).some(
    (entry: InstalledEntry) => sharesFolder(entry.package.identifier, identifier) && !isUnidentified(entry),
  );

/** Enough for identifier and version, which come first. */
const HEAD_BYTES = 1_024;
const HEAD = /^\{"identifier":"[^"\\]*","version":"([^"\\]*)"/;
const SUFFIX = ".json";

/**
 * Another program may have uninstalled or updated a package. What was remembered about it is then wrong, and must not be
 * used if the package comes back. What cannot be removed now is tried again next time.
 */
export async function forgetStale({ layout, disk }: Site): Promise<void> {
  const state = await readableState({ layout, disk });
  if (state?.bytes === undefined) return;
  const versions = new Map(entriesOf(state).map((entry) => [entry.package.identifier, entry.current_version]));
  try {
    for (const name of (await ifExists(readdir(layout.manifests))) ?? []) {
      if (!name.endsWith(SUFFIX)) continue;
      const identifier = basename(name, SUFFIX);
      const file = manifestFile(layout, identifier);
      const version = versions.get(identifier);
      if (version === undefined || (await versionIn(file)) !== version) await disk.unlink(file);
    }
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}

/** Undefined if it is damaged; calls that need it report that. */
async function readableState({ layout }: Site): Promise<State | undefined> {
  try {
    return await readState(layout);
  } catch (error) {
    if (error instanceof InstallationFault || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

async function versionIn(file: string): Promise<string | undefined> {
  await using handle = await open(file, "r");
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return HEAD.exec(buffer.toString("utf8", 0, bytesRead))?.[1];
}

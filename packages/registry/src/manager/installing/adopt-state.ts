import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { InstalledEntry } from "../installed.ts";
import { InstallationFault } from "../manager-fault.ts";
import { replaceState, type Site } from "./commit.ts";
import { listPackage } from "./compare.ts";
import { ifThere } from "./faults.ts";
import { isIdentifier, STATE_FILE } from "./layout.ts";
import { entriesOf, isUnidentified, rawEntry, readState, type State, sharesFolder, withEntry } from "./state-file.ts";

/**
 * Before the design tool was first started there was no folder of its own to keep the list in, and it was kept in the
 * root. What is in it and still installed goes over to the tool's list, once; where the tool knows better, it does.
 */
export async function adoptRootState(site: Site): Promise<void> {
  const { layout, disk } = site;
  const file = join(layout.root, STATE_FILE);
  if (layout.state === file || !(await ifThere(lstat(file)))?.isFile()) return;
  const old = await readOld(site, file);
  if (old === undefined) return;
  for (const entry of entriesOf(old)) {
    const { identifier } = entry.package;
    const state = await readState(layout);
    if (!isIdentifier(identifier) || isUnidentified(entry) || isKnown(state, identifier)) continue;
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

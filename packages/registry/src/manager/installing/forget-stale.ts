import { open, readdir } from "node:fs/promises";
import { basename } from "node:path";
import { InstallationFault } from "../manager-fault.ts";
import type { Site } from "./commit.ts";
import { ifThere, systemCode } from "./faults.ts";
import { manifestFile } from "./layout.ts";
import { entriesOf, readState, type State } from "./state-file.ts";

/** Room for identifier and version, which come first. */
const HEAD_BYTES = 1_024;
const HEAD = /^\{"identifier":"[^"\\]*","version":"([^"\\]*)"/;
const SUFFIX = ".json";

/**
 * Another program may have uninstalled or updated a package: what was remembered of it is then of no use, and must not
 * speak for it should it ever come back. What cannot be removed now is tried again the next time.
 */
export async function forgetStale({ layout, disk }: Site): Promise<void> {
  const state = await readableState({ layout, disk });
  if (state?.bytes === undefined) return;
  const versions = new Map(entriesOf(state).map((entry) => [entry.package.identifier, entry.current_version]));
  try {
    for (const name of (await ifThere(readdir(layout.manifests))) ?? []) {
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

/** A damaged one says nothing about what is installed; whoever needs it is told. */
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

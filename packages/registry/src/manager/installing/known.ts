import type { PackageVersion } from "@backplane/contract/registry";
import type { InstalledEntry, Manifest } from "../installed.ts";
import type { Layout } from "./layout.ts";
import { type Remembered, rememberedOf } from "./manifests.ts";
import { entriesOf, type RawEntry, rawEntry, type State } from "./state-file.ts";

/** One installed package: what installed_packages.json says, with what is remembered where that says nothing. */
export type Known = {
  entry: InstalledEntry;
  raw: RawEntry;
  remembered: Remembered | undefined;
  manifest: Manifest | undefined;
  keep: string[];
};

/** The whole list, in the order of the file. */
export async function knownPackages(layout: Layout, state: State): Promise<Known[]> {
  return await Promise.all(entriesOf(state).map((entry) => knownOf(layout, state, entry)));
}

export async function knownPackage(layout: Layout, state: State, identifier: string): Promise<Known | undefined> {
  const entry = entriesOf(state).find((each) => each.package.identifier === identifier);
  return entry && (await knownOf(layout, state, entry));
}

async function knownOf(layout: Layout, state: State, entry: InstalledEntry): Promise<Known> {
  const raw = rawEntry(state, entry.package.identifier) ?? {};
  const remembered = await rememberedOf(layout, entry);
  const said = patternsOf(entry.package, listedVersion(entry));
  return {
    entry: { ...entry, pinned: "pinned" in raw ? entry.pinned : remembered?.pinned === true },
    raw,
    remembered,
    manifest: remembered?.manifest,
    keep: said.length > 0 ? said : (remembered?.keep ?? []),
  };
}

/** Of package and version together. */
export const patternsOf = (
  pkg: { keep_on_update?: unknown },
  version: { keep_on_update?: unknown } | undefined,
): string[] =>
  [pkg.keep_on_update, version?.keep_on_update]
    .flatMap((list): unknown[] => (Array.isArray(list) ? list : []))
    .filter((pattern) => typeof pattern === "string");

/** The list in the entry is another program's: it may be anything. */
export function listedVersion({ package: { versions }, current_version }: InstalledEntry): PackageVersion | undefined {
  return Array.isArray(versions) ? versions.find((each) => each?.version === current_version) : undefined;
}

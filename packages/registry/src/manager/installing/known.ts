import { lstat, readFile } from "node:fs/promises";
import type { PackageVersion } from "@backplane/contract/registry";
import { MANIFEST_LIMITS, type Manifest, readManifest } from "../../repository/manifests-json.ts";
import { isLooseIdentifier } from "../../values.ts";
import { ifExists } from "../faults.ts";
import type { InstalledEntry } from "../manager-types.ts";
import { type Layout, manifestFile, topFolder } from "./layout.ts";
import { entriesOf, type RawEntry, rawEntry, type State } from "./state-file.ts";

/** An installed package: what installed_packages.json says, completed by what we remember about it. */
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

/** The patterns of package and version together. */
export const patternsOf = (
  pkg: { keep_on_update?: unknown },
  version: { keep_on_update?: unknown } | undefined,
): string[] =>
  [pkg.keep_on_update, version?.keep_on_update]
    .flatMap((list): unknown[] => (Array.isArray(list) ? list : []))
    .filter((pattern) => typeof pattern === "string");

/** Other programs write this list too, so it may be anything. */
export function listedVersion({ package: { versions }, current_version }: InstalledEntry): PackageVersion | undefined {
  return Array.isArray(versions) ? versions.find((each) => each?.version === current_version) : undefined;
}

/**
 * What we remember about an installed version. Some design tools drop unknown keys when they write
 * installed_packages.json, so what must not be lost is also stored here.
 */
export type Remembered = {
  identifier: string;
  version: string;
  /** Absent if another program installed it. */
  manifest: Manifest | undefined;
  /** The keep_on_update patterns of package and version. */
  keep: string[];
  pinned: boolean;
};

export function writeRemembered({ identifier, version, manifest, keep, pinned }: Remembered): Buffer {
  const { version_epoch, files } = manifest ?? {};
  const listed = files?.map(({ path, size, sha256 }) => ({ path, size, sha256 }));
  const text = JSON.stringify({ identifier, version, version_epoch, keep_on_update: keep, pinned, files: listed });
  return Buffer.from(`${text}\n`);
}

/** Undefined if nothing is known about this version, for example because another program updated the package. */
async function rememberedOf(layout: Layout, entry: InstalledEntry): Promise<Remembered | undefined> {
  const { identifier } = entry.package;
  if (!isLooseIdentifier(identifier)) return undefined;
  const file = manifestFile(layout, identifier);
  const stats = await ifExists(lstat(file));
  if (!stats?.isFile() || stats.size > MANIFEST_LIMITS.maxManifestBytes) return undefined;
  const text = await readFile(file, "utf8");
  const { keep_on_update, pinned, ...named } = parse(text);
  if (named.identifier !== identifier || named.version !== entry.current_version) return undefined;
  const manifest = readManifest(text);
  const isUsable = manifest?.files.every(({ path }) => topFolder(path) !== undefined);
  return {
    identifier,
    version: entry.current_version,
    manifest: isUsable ? manifest : undefined,
    keep: Array.isArray(keep_on_update) ? keep_on_update.filter((pattern) => typeof pattern === "string") : [],
    pinned: pinned === true,
  };
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

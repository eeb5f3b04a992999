import { lstat, readFile } from "node:fs/promises";
import { MANIFEST_LIMITS, readManifest } from "../../repository/manifests-json.ts";
import type { InstalledEntry, Manifest } from "../installed.ts";
import { ifThere } from "./faults.ts";
import { isIdentifier, type Layout, manifestFile, topFolder } from "./layout.ts";

/**
 * What is remembered of an installed version. Some design tools drop the keys of installed_packages.json that they do
 * not know when they write it, so that what must not be lost stands here, too.
 */
export type Remembered = {
  identifier: string;
  version: string;
  /** Absent: another program installed it. */
  manifest: Manifest | undefined;
  /** keep_on_update of package and version. */
  keep: string[];
  pinned: boolean;
};

export function writeRemembered({ identifier, version, manifest, keep, pinned }: Remembered): Buffer {
  const { version_epoch, files } = manifest ?? {};
  const listed = files?.map(({ path, size, sha256 }) => ({ path, size, sha256 }));
  const text = JSON.stringify({ identifier, version, version_epoch, keep_on_update: keep, pinned, files: listed });
  return Buffer.from(`${text}\n`);
}

/** Undefined: nothing of this version, as when another program installed or updated the package since. */
export async function rememberedOf(layout: Layout, entry: InstalledEntry): Promise<Remembered | undefined> {
  const { identifier } = entry.package;
  if (!isIdentifier(identifier)) return undefined;
  const file = manifestFile(layout, identifier);
  const stats = await ifThere(lstat(file));
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

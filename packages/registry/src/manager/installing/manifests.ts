import { lstat, readFile } from "node:fs/promises";
import { MANIFEST_LIMITS, readManifest } from "../../repository/manifests-json.ts";
import type { InstalledEntry, Manifest } from "../installed.ts";
import { ifThere } from "./faults.ts";
import { isIdentifier, type Layout, manifestFile, topFolder } from "./layout.ts";

/**
 * The file list that was stored when this version was installed. None when another program installed or updated the
 * package, or when it cannot be read.
 */
export async function storedManifest(layout: Layout, entry: InstalledEntry): Promise<Manifest | undefined> {
  const { identifier } = entry.package;
  if (!isIdentifier(identifier)) return undefined;
  const file = manifestFile(layout, identifier);
  const stats = await ifThere(lstat(file));
  if (!stats?.isFile() || stats.size > MANIFEST_LIMITS.maxManifestBytes) return undefined;
  const manifest = readManifest(await readFile(file, "utf8"));
  if (manifest?.identifier !== identifier || manifest.version !== entry.current_version) return undefined;
  return manifest.files.every(({ path }) => topFolder(path) !== undefined) ? manifest : undefined;
}

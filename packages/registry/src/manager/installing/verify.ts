import { folderOf } from "../../archives/archive.ts";
import type { Manifest } from "../../repository/manifests-json.ts";
import { isLooseIdentifier } from "../../values.ts";
import type { Verified } from "../manager-types.ts";
import { byInstalledPath, listPackage } from "./compare.ts";
import { matchKeepPatterns } from "./keep-patterns.ts";
import type { Known } from "./known.ts";
import type { Layout } from "./layout.ts";
import { isUnidentified } from "./state-file.ts";
import { hasBytes } from "./tree.ts";

export const UNIDENTIFIED =
  "The design tool found this folder and does not know which package and version it is. Install the package to take it over, or uninstall it.";

/** The published file list and keep_on_update patterns of a version. */
export type PublishedFiles = { manifest: Manifest; keep: readonly string[] };

/**
 * Compares every file of an installed package with its stored manifest, or with the published one if another program
 * installed that version. Changes nothing.
 */
export async function verifyPackage(layout: Layout, known: Known, published?: PublishedFiles): Promise<Verified> {
  const { entry } = known;
  const { identifier } = entry.package;
  const found = isLooseIdentifier(identifier) ? await listPackage(layout.root, identifier) : [];
  const isPublished = known.manifest === undefined && published?.manifest.version === entry.current_version;
  const manifest = isPublished ? published?.manifest : known.manifest;
  const patterns = isPublished && known.keep.length === 0 ? (published?.keep ?? []) : known.keep;
  const verified: Verified = {
    identifier,
    version: entry.current_version,
    files: manifest?.files.length ?? found.length,
    missing: [],
    altered: [],
    extra: [],
    kept: [],
    manifest: manifest === undefined ? "unknown" : "known",
  };
  if (isUnidentified(entry)) return { ...verified, note: UNIDENTIFIED };
  if (manifest === undefined) {
    // Without a manifest, only a missing package can be detected.
    if (found.length === 0) verified.missing.push(`*/${folderOf(identifier)}`);
    return verified;
  }
  const byPath = new Map(found.map((file) => [file.path, file]));
  const { kept, undecided, warnings } = matchKeepPatterns(patterns, [...byPath.keys()]);
  const expected = byInstalledPath(identifier, manifest.files);
  const asTheyAre = new Set(kept);
  verified.extra = found.map(({ path }) => path).filter((path) => !expected.has(path) && !kept.has(path));
  for (const [path, wanted] of expected) {
    const file = byPath.get(path);
    if (file === undefined) verified.missing.push(path);
    else if (kept.has(path) || (await hasBytes(layout.root, file, wanted))) continue;
    // As in an update: what a pattern could not be tried on stays as it is.
    else if (undecided.has(path)) asTheyAre.add(path);
    else verified.altered.push(path);
  }
  verified.kept = [...asTheyAre].sort();
  return warnings.length === 0 ? verified : { ...verified, note: warnings.join(" ") };
}

import { folderOf } from "../../archives/archive.ts";
import type { InstalledEntry, Verified } from "../installed.ts";
import { byInstalledPath, listPackage } from "./compare.ts";
import { matchKeepPatterns } from "./keep-patterns.ts";
import { isIdentifier, type Layout } from "./layout.ts";
import { storedManifest } from "./manifests.ts";
import { keepPatterns } from "./plan.ts";
import { hasBytes } from "./tree.ts";

/** Every file of an installed package against the list that was stored with it. Only looks. */
export async function verifyPackage(layout: Layout, entry: InstalledEntry): Promise<Verified> {
  const { identifier } = entry.package;
  const found = isIdentifier(identifier) ? await listPackage(layout.root, identifier) : [];
  const manifest = await storedManifest(layout, entry);
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
  if (manifest === undefined) {
    // All that can be told is that nothing is there.
    if (found.length === 0) verified.missing.push(`*/${folderOf(identifier)}`);
    return verified;
  }
  const byPath = new Map(found.map((file) => [file.path, file]));
  const { kept } = matchKeepPatterns(keepPatterns(entry), [...byPath.keys()]);
  const expected = byInstalledPath(identifier, manifest.files);
  verified.kept = [...kept].sort();
  verified.extra = found.map(({ path }) => path).filter((path) => !expected.has(path) && !kept.has(path));
  for (const [path, wanted] of expected) {
    const file = byPath.get(path);
    if (file === undefined) verified.missing.push(path);
    else if (!kept.has(path) && !(await hasBytes(layout.root, file, wanted))) verified.altered.push(path);
  }
  return verified;
}

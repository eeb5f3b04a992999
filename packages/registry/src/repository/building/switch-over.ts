import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SchemaVersion } from "@backplane/contract/registry";
import { sha256Of } from "../../values.ts";
import { INDEX_NAMES, type IndexPart, REPOSITORY_NAMES } from "./places.ts";
import { readIfExists, type Staging, writeAtomically } from "./staging.ts";
import type { Index, Listed, NamedFile } from "./write-index.ts";
import { CacheDamaged } from "./write-index.ts";

export type NextRepository = {
  listed: readonly Listed[];
  index: Index;
  repository: Readonly<Record<SchemaVersion, Buffer>>;
};

/**
 * Replaces the repository. Files are written before the ones that refer to them, and no file of the old
 * repository.json is changed, so neither a client nor a killed build ever sees a mixture. True if anything was written.
 */
export function switchOver(out: string, { listed, index, repository }: NextRepository, staging: Staging): boolean {
  const files = listed.flatMap((one) => one.files);
  const staged = new Set([...staging.held.keys(), ...staging.kept.keys()]);
  for (const file of files) if (!staged.has(file.sha256) && !isThere(out, file)) throw new CacheDamaged();
  const moved = files.filter(({ sha256 }) => staged.has(sha256));
  for (const folder of new Set(moved.map(({ place }) => dirname(place))))
    mkdirSync(join(out, folder), { recursive: true });
  for (const file of moved) moveIn(out, file, staging);

  const parts = Object.entries(index.parts) as [IndexPart, Index["parts"]["packages"]][];
  const writes: [place: string, bytes: Buffer][] = [
    ...parts.map(([, { place, bytes }]): [string, Buffer] => [place, bytes]),
    ...parts.map(([part, { bytes }]): [string, Buffer] => [INDEX_NAMES[part], bytes]),
    [REPOSITORY_NAMES[2], repository[2]],
    [REPOSITORY_NAMES[1], repository[1]],
  ];
  let hasChanged = false;
  for (const [place, bytes] of writes) {
    if (writeAtomically(join(out, place), bytes, staging.newFile())) hasChanged = true;
  }
  for (const part of ["packages_v2", "resources"] as const) {
    if (!index.parts[part]) rmSync(join(out, INDEX_NAMES[part]), { force: true });
  }
  return hasChanged;
}

const isThere = (out: string, { place, size }: NamedFile): boolean =>
  statSync(`${out}/${place}`, { throwIfNoEntry: false })?.size === size;

/**
 * A file with the same content stays: replacing it costs a hundred times as much as comparing it. One with different
 * content was left unfinished by a killed build, because the hash is part of the name.
 */
function moveIn(out: string, { place, sha256 }: NamedFile, staging: Staging): void {
  const target = join(out, place);
  const there = readIfExists(target);
  if (there && sha256Of(there) === sha256) return;
  const [file, bytes] = [staging.held.get(sha256), staging.kept.get(sha256)];
  if (file) renameSync(file, target);
  else if (bytes) writeFileSync(target, bytes);
}

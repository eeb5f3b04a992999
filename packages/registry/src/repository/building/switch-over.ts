import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256Of } from "../../values.ts";
import { CacheDamaged } from "./build-cache.ts";
import { INDEX_NAMES, type IndexPart } from "./places.ts";
import { readIfThere, type Staging, writeAtomically } from "./staging.ts";
import type { Index, Listed, NamedFile } from "./write-index.ts";

export type NextRepository = { listed: readonly Listed[]; index: Index; repository: Buffer };

/**
 * Puts a repository in the place of the one that is there. What is named comes before who names it, and no file that
 * the old repository.json leads to is changed: a client, or a build that gets killed, never meets half of each.
 * True: something was written.
 */
export function switchOver(out: string, { listed, index, repository }: NextRepository, staging: Staging): boolean {
  const files = listed.flatMap((one) => one.files);
  const staged = new Set([...staging.held.keys(), ...staging.kept.keys()]);
  for (const file of files) if (!staged.has(file.sha256) && !isThere(out, file)) throw new CacheDamaged();
  for (const file of files) if (staged.has(file.sha256)) moveIn(out, file, staging);

  const parts = Object.entries(index.parts) as [IndexPart, Index["parts"]["packages"]][];
  const writes: [place: string, bytes: Buffer][] = [
    ...parts.map(([, { place, bytes }]): [string, Buffer] => [place, bytes]),
    ...parts.map(([part, { bytes }]): [string, Buffer] => [INDEX_NAMES[part], bytes]),
    ["repository.json", repository],
  ];
  let hasChanged = false;
  for (const [place, bytes] of writes) {
    if (writeAtomically(join(out, place), bytes, staging.newFile())) hasChanged = true;
  }
  if (!index.parts.resources) rmSync(join(out, INDEX_NAMES.resources), { force: true });
  return hasChanged;
}

const isThere = (out: string, { place, size }: NamedFile): boolean =>
  statSync(join(out, place), { throwIfNoEntry: false })?.size === size;

/**
 * What is there with the same bytes stays: replacing a file costs a hundred times what comparing it does. What is
 * there with others is half of what a build that was killed has left, as the bytes are part of the name.
 */
function moveIn(out: string, { place, sha256 }: NamedFile, staging: Staging): void {
  const target = join(out, place);
  const there = readIfThere(target);
  if (there && sha256Of(there) === sha256) return;
  mkdirSync(dirname(target), { recursive: true });
  const [file, bytes] = [staging.held.get(sha256), staging.kept.get(sha256)];
  if (file) renameSync(file, target);
  else if (bytes) writeFileSync(target, bytes);
}

import { type BigIntStats, rmSync } from "node:fs";
import { join } from "node:path";
import type { Note } from "../../metadata/read.ts";
import { sha256Of } from "../../values.ts";
import type { Source } from "./inputs.ts";
import { BUILD_FOLDER, isOurs } from "./places.ts";
import { readIfExists, type Staging, writeAtomically } from "./staging.ts";
import type { CachedResources, Index, Listed } from "./write-index.ts";

/** Raise it whenever what is cached, or how it is computed, changes. */
const FORMAT = 1;

/** If all of these are the same, the file has the same bytes. The change time cannot be faked. */
type FileMark = { size: string; mtime: string; ctime: string; ino: string };

export type CachedInput = FileMark & { sources: Source[]; notes: Note[] };

export type BuildCache = {
  inputs: Map<string, CachedInput>;
  /** Every file that the current repository.json refers to, and those that only the previous one did. */
  current: string[];
  previous: string[];
  resources?: CachedResources;
};

const emptyCache = (): BuildCache => ({ inputs: new Map(), current: [], previous: [] });

export const markOf = ({ size, mtimeNs, ctimeNs, ino }: BigIntStats): FileMark => ({
  size: String(size),
  mtime: String(mtimeNs),
  ctime: String(ctimeNs),
  ino: String(ino),
});

export const isSameMark = (a: FileMark, b: FileMark): boolean =>
  a.size === b.size && a.mtime === b.mtime && a.ctime === b.ctime && a.ino === b.ino;

const fileOf = (out: string): string => join(out, BUILD_FOLDER, "inputs.json");

/** Empty if the file is missing, has another format or was changed. */
export function readCache(out: string): BuildCache {
  const bytes = readIfExists(fileOf(out));
  const end = bytes?.indexOf("\n") ?? -1;
  if (bytes === undefined || end < 0) return emptyCache();
  const body = bytes.subarray(end + 1);
  if (bytes.subarray(0, end).toString() !== headOf(body)) return emptyCache();
  const { inputs, current, previous, resources } = JSON.parse(body.toString()) as Written;
  return {
    inputs: new Map(inputs),
    // These are deleted later, so they must be ours.
    current: current.filter(isOurs),
    previous: previous.filter(isOurs),
    ...(resources ? { resources } : {}),
  };
}

function writeCache(out: string, { inputs, ...rest }: BuildCache, half: string): void {
  const written: Written = { inputs: [...inputs], ...rest };
  const body = Buffer.from(JSON.stringify(written));
  writeAtomically(fileOf(out), Buffer.concat([Buffer.from(`${headOf(body)}\n`), body]), half);
}

type Written = Omit<BuildCache, "inputs"> & { inputs: [string, CachedInput][] };

const headOf = (body: Buffer): string => `backplane-build-${FORMAT} ${sha256Of(body)}`;

type Made = {
  listed: readonly Listed[];
  index: Index;
  inputs: BuildCache["inputs"];
  staging: Staging;
  /** When the build began, by the file system's clock. */
  startedNs: bigint;
};

/** Files of the previous repository stay, for clients that have its repository.json; older ones are deleted. */
export function remember(out: string, before: BuildCache, made: Made): void {
  const { listed, index, inputs, staging, startedNs } = made;
  const current = [...listed.flatMap(({ files }) => files), ...Object.values(index.parts)].map(({ place }) => place);
  const isNamed = new Set(current);
  const left = new Set(before.current.filter((place) => !isNamed.has(place)));
  const isOld = (place: string) => left.size > 0 && !isNamed.has(place) && !left.has(place);
  for (const place of before.previous.filter(isOld)) rmSync(join(out, place), { force: true });
  // A file that changed after this build began could change again without different times.
  const settled = new Map([...inputs].filter(([, { ctime }]) => BigInt(ctime) < startedNs));
  const isSame = [...settled].every(([path, input]) => before.inputs.get(path) === input);
  if (isSame && settled.size === before.inputs.size && current.length === before.current.length && left.size === 0)
    return;
  const cache: BuildCache = { inputs: settled, current, previous: left.size > 0 ? [...left] : before.previous };
  if (index.resources) cache.resources = index.resources;
  writeCache(out, cache, staging.newFile());
}

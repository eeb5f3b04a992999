import { rmSync } from "node:fs";
import { join } from "node:path";
import { type BuildCache, writeCache } from "./build-cache.ts";
import type { Listed } from "./list-package.ts";
import type { Staging } from "./staging.ts";
import type { Index } from "./write-index.ts";

export type Made = {
  listed: readonly Listed[];
  index: Index;
  inputs: BuildCache["inputs"];
  staging: Staging;
  /** When the build began, by the clock of the file system. */
  startedNs: bigint;
};

/** The repository before this one stays, for whoever has read its repository.json; the one before that goes. */
export function remember(out: string, before: BuildCache, made: Made): void {
  const { listed, index, inputs, staging, startedNs } = made;
  const current = [...listed.flatMap(({ files }) => files), ...Object.values(index.parts)].map(({ place }) => place);
  const isNamed = new Set(current);
  const left = new Set(before.current.filter((place) => !isNamed.has(place)));
  const isOld = (place: string) => left.size > 0 && !isNamed.has(place) && !left.has(place);
  for (const place of before.previous.filter(isOld)) rmSync(join(out, place), { force: true });
  // One that changed after this build began could change again without its times telling.
  const settled = new Map([...inputs].filter(([, { ctime }]) => BigInt(ctime) < startedNs));
  const isSame = [...settled].every(([path, input]) => before.inputs.get(path) === input);
  if (isSame && settled.size === before.inputs.size && current.length === before.current.length && left.size === 0)
    return;
  const cache: BuildCache = { inputs: settled, current, previous: left.size > 0 ? [...left] : before.previous };
  if (index.resources) cache.resources = index.resources;
  writeCache(out, cache, staging.newFile());
}

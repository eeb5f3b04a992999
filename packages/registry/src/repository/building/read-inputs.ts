import { type BigIntStats, statSync } from "node:fs";
import type { Note } from "../../metadata/read.ts";
import { type BuildCache, type CachedInput, isSameMark, markOf } from "./build-cache.ts";
import type { Input } from "./find-inputs.ts";
import { readArchive } from "./read-archive.ts";
import { readMetadata } from "./read-metadata.ts";
import { faultOf, type ReadInput } from "./source.ts";
import type { Staging } from "./staging.ts";
import { takeArchives } from "./take-archives.ts";

export type ReadOptions = {
  cache: BuildCache;
  staging: Staging;
  brands: readonly string[];
  signal?: AbortSignal | undefined;
  onRead(input: Input): void;
};

export type ReadInputs = {
  inputs: Map<string, CachedInput>;
  faults: Note[];
  /** How many had to be opened. */
  opened: number;
};

type Changed = { input: Input; before: BigIntStats; copy?: string };

/**
 * What all the files of the input hold; one that is as it was when it was read last is not opened. What is wrong with
 * one does not keep the others from being read, so that all faults are told at once.
 */
export async function readInputs(inputs: readonly Input[], options: ReadOptions): Promise<ReadInputs> {
  const { cache, staging, brands, signal, onRead } = options;
  const read: ReadInputs = { inputs: new Map(), faults: [], opened: 0 };
  const take = (input: Input, before: BigIntStats, result: ReadInput) => {
    read.opened++;
    const after = statOf(input);
    if ("faults" in result) read.faults.push(...result.faults);
    else if (after && isSameMark(markOf(before), markOf(after))) {
      read.inputs.set(input.path, { ...markOf(before), ...result });
    } else read.faults.push(faultOf(input.shown, "changed-meanwhile", "It changed while it was read. Build again."));
  };

  const archives: Changed[] = [];
  for (const input of inputs) {
    signal?.throwIfAborted();
    const before = statOf(input);
    const known = cache.inputs.get(input.path);
    if (before && input.kind === "archive" && !(known && isSameMark(known, markOf(before)))) {
      archives.push({ input, before, ...(input.place === undefined ? { copy: staging.newFile() } : {}) });
      continue;
    }
    if (before === undefined)
      read.faults.push(faultOf(input.shown, "not-found", "It is no longer there. Build again."));
    else if (known && isSameMark(known, markOf(before))) read.inputs.set(input.path, known);
    else take(input, before, readMetadata(input, brands));
    onRead(input);
  }
  await takeArchives(
    archives.map(({ input, before, copy }) => ({ file: input.path, size: Number(before.size), ...(copy && { copy }) })),
    {
      signal,
      onTaken(index, taken) {
        const archive = archives[index];
        if (archive === undefined) return;
        const { input, before, copy } = archive;
        if (copy && "archive" in taken) staging.hold(taken.sha256, copy);
        take(input, before, readArchive(input, taken, { staging, brands }));
        onRead(input);
      },
    },
  );
  return read;
}

const statOf = ({ path }: Input): BigIntStats | undefined => statSync(path, { bigint: true, throwIfNoEntry: false });

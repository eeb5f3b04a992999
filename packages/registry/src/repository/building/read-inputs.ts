import { type BigIntStats, readFileSync, statSync } from "node:fs";
import type { Package } from "@backplane/contract/registry";
import { lintPackage, lintPackages } from "../../metadata/lint/lint.ts";
import { type Note, readPackage, readPackages } from "../../metadata/read.ts";
import { writeManifest } from "../manifests-json.ts";
import { type BuildCache, type CachedInput, isSameMark, markOf } from "./build-cache.ts";
import { faultOf, type Input, type ReadInput } from "./inputs.ts";
import type { Staging } from "./staging.ts";
import { type Taken, takeArchives } from "./take-archives.ts";

type ReadOptions = {
  cache: BuildCache;
  staging: Staging;
  brands: readonly string[];
  signal?: AbortSignal | undefined;
  onRead(input: Input): void;
};

type ReadInputs = {
  inputs: Map<string, CachedInput>;
  faults: Note[];
  /** How many files had to be opened. */
  opened: number;
};

type Changed = { input: Input; before: BigIntStats; copy?: string };

/**
 * Reads all input files; those that did not change since the last build are not opened. A faulty file does not keep the
 * others from being read, so that all faults are reported at once.
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
    } else
      read.faults.push(faultOf(input.shown, "changed-meanwhile", "This file changed while it was read. Build again."));
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
      read.faults.push(faultOf(input.shown, "not-found", "This file no longer exists. Build again."));
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

type ReadArchiveOptions = { staging: Staging; brands: readonly string[] };

/** Reads an archive's metadata; its file list and icon are staged. */
function readArchive(input: Input, taken: Taken, { staging, brands }: ReadArchiveOptions): ReadInput {
  const { shown, place } = input;
  if ("unreadable" in taken) {
    return { faults: [faultOf(shown, "unreadable", `This file cannot be read: ${taken.unreadable}`)] };
  }
  if ("refusal" in taken) {
    const { reason, message, path: entry } = taken.refusal;
    return { faults: [faultOf(shown, reason, entry === undefined ? message : `${entry}: ${message}`)] };
  }
  const { archive, sha256, size } = taken;
  const read = readPackage(archive.metadata, { brands });
  if ("faults" in read) return { faults: read.faults.map((fault) => ({ ...fault, path: shown })) };
  const { identifier, versions } = read.package;
  const [version, ...others] = versions;
  if (version === undefined || others.length > 0) {
    const message = `metadata.json of an archive must have exactly one version, but has ${versions.length}.`;
    return { faults: [faultOf(shown, "one-version", message)] };
  }
  const { version_epoch } = version;
  const manifest = writeManifest({
    identifier,
    version: version.version,
    ...(version_epoch === undefined ? {} : { version_epoch }),
    files: archive.files,
  });
  const facts = {
    sha256,
    size,
    installSize: archive.installSize,
    manifest: { sha256: staging.keep(manifest), size: manifest.length },
    ...(archive.icon ? { icon: staging.keep(archive.icon) } : {}),
    ...(place === undefined ? {} : { place }),
  };
  const found = lintPackage(archive.metadata, read.package, { brand: read.brand }).filter(isOfOne);
  return {
    sources: [{ file: shown, package: read.package, archive: facts }],
    notes: [...read.notes, ...found].map((note) => ({ ...note, path: shown })),
  };
}

/** An archive has only one version, so this rule says nothing about it. */
const isOfOne = ({ rule }: Note): boolean => rule !== "versions-deprecated";

const MAX_METADATA_BYTES = 64 * 1024 * 1024;

/** A metadata file: one package, or a list like packages.json. */
function readMetadata({ path, shown }: Input, brands: readonly string[]): ReadInput {
  let text: string;
  try {
    const { size } = statSync(path);
    if (size > MAX_METADATA_BYTES) {
      return {
        faults: [faultOf(shown, "too-large", `This file has ${size} bytes; the limit is ${MAX_METADATA_BYTES}.`)],
      };
    }
    text = readFileSync(path, "utf8");
  } catch (error) {
    return { faults: [faultOf(shown, "unreadable", `This file cannot be read: ${(error as Error).message}`)] };
  }
  const read = isList(text) ? readList(text, brands) : readOne(text, brands);
  const notes = ("faults" in read ? read.faults : read.notes).map((note) => ({ ...note, path: shown }));
  if ("faults" in read || notes.some(({ level }) => level === "error")) return { faults: notes };
  return { sources: read.packages.map((listed) => ({ file: shown, package: listed })), notes };
}

type Read = { packages: Package[]; notes: Note[] } | { faults: Note[] };

function readOne(text: string, brands: readonly string[]): Read {
  const read = readPackage(text, { brands });
  if ("faults" in read) return read;
  const found = lintPackage(text, read.package, { brand: read.brand, place: "listing" });
  return { packages: [read.package], notes: [...read.notes, ...found.filter(isOfInput(() => read.package))] };
}

/** A list does not name its brand: use the first brand in whose spelling it is valid. */
function readList(text: string, brands: readonly string[]): Read {
  let first: { faults: Note[] } | undefined;
  for (const brand of brands) {
    const read = readPackages(text, brand);
    if ("faults" in read) {
      first ??= read;
      continue;
    }
    const { packages } = read;
    const found = lintPackages(text, packages, brand);
    return { packages, notes: found.filter(isOfInput((pointer) => packages[Number(pointer.split("/")[2])])) };
  }
  return first ?? { faults: [] };
}

const MISSING = /^(?:download|install)-\w+-missing$/;
const VERSION = /\/versions\/(\d+)\//;

/** A version without download_url gets its download from an archive of the input; merging reports it if there is none. */
function isOfInput(packageAt: (pointer: string) => Package | undefined): (note: Note) => boolean {
  return ({ rule, pointer = "" }) => {
    if (rule === "list-too-large") return false;
    const version = packageAt(pointer)?.versions[Number(VERSION.exec(pointer)?.[1])];
    return !MISSING.test(rule) || version?.download_url !== undefined;
  };
}

function isList(text: string): boolean {
  try {
    return Array.isArray((JSON.parse(text) as { packages?: unknown } | null)?.packages);
  } catch {
    return false;
  }
}

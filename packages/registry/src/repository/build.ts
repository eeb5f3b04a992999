import { statSync } from "node:fs";
import { DEFAULT_BRAND, isBrand } from "../metadata/brands.ts";
import type { Note } from "../metadata/read.ts";
import { byCodeUnit } from "../values.ts";
import { type BuildCache, readCache, remember } from "./building/build-cache.ts";
import { faultOf, findInputs } from "./building/inputs.ts";
import { mergeSources } from "./building/merge.ts";
import { nextRepository, type RepositoryOptions, type SigningOptions } from "./building/next-repository.ts";
import { readInputs } from "./building/read-inputs.ts";
import { openStaging } from "./building/staging.ts";
import { switchOver } from "./building/switch-over.ts";
import { CacheDamaged, listPackage, writeIndex } from "./building/write-index.ts";
import { RepositoryFault } from "./repository-json.ts";

export type BuildOptions = {
  /** Folders and files: archives, and metadata of packages hosted elsewhere or that adds to an archive. */
  from: readonly string[];
  now: () => number;
  /** Skip faulty inputs instead of writing nothing; the faults are then among the notes. */
  skipFaulty?: boolean | undefined;
  onProgress?: ((progress: BuildProgress) => void) | undefined;
  signal?: AbortSignal | undefined;
} & Omit<RepositoryOptions, "signing" | "nowS"> &
  (SigningOptions | { signingKey?: undefined });

/** File names get appended, so a query is not allowed. */
const BASE_URL = /^(https?:\/\/[^\s/?#]|file:\/\/([A-Za-z]:|\/))[^\s?#]*$/;

export type BuildProgress = { done: number; total: number; file: string };

export type Built = {
  packages: number;
  versions: number;
  /** How many input files had to be opened; the others did not change since the last build. */
  opened: number;
  /** Whether the repository changed. */
  changed: boolean;
  notes: Note[];
};

/**
 * Builds a repository that any web server can serve. The same input gives the same bytes on every machine, except for
 * the times of the first build and of each change. The folder is consistent at every moment. Only one build at a time
 * may run in a folder.
 */
export async function buildRepository(options: BuildOptions): Promise<Built | { faults: Note[] }> {
  if (!isBrand(options.brand))
    throw new RangeError("A brand is up to 31 lower-case letters and digits, a letter first.");
  if (!BASE_URL.test(options.baseUrl)) {
    const message =
      "This is not an address. Give the one at which the folder will be served, such as https://example.org/packages.";
    return { faults: [faultOf(options.baseUrl, "base-url", message)] };
  }
  const cache = readCache(options.out);
  try {
    return await build(options, cache);
  } catch (error) {
    if (error instanceof RepositoryFault) return { faults: [faultOf("repository.json", error.code, error.message)] };
    if (!(error instanceof CacheDamaged)) throw error;
    return await build(options, { ...cache, inputs: new Map() });
  }
}

async function build(options: BuildOptions, cache: BuildCache): Promise<Built | { faults: Note[] }> {
  const { from, out, brand, now, skipFaulty = false, onProgress, signal } = options;
  const baseUrl = options.baseUrl.replace(/(?<!\/)\/+$/, "");
  using staging = openStaging(out);
  const startedNs = statSync(staging.folder, { bigint: true }).mtimeNs;
  const found = findInputs(from, out);
  let done = 0;
  const read = await readInputs(found.inputs, {
    cache,
    staging,
    brands: [...new Set([brand, DEFAULT_BRAND, "kicad"])],
    signal,
    onRead: ({ shown }) => onProgress?.({ done: ++done, total: found.inputs.length, file: shown }),
  });
  const { merged, faults: conflicts } = mergeSources([...read.inputs.values()].flatMap(({ sources }) => sources));
  const faults = [...found.faults, ...read.faults, ...conflicts].sort(byPlace);
  if (faults.length > 0 && !skipFaulty) return { faults };

  const listed = merged.map((one) => listPackage(one, baseUrl));
  const index = writeIndex(listed, { out, brand, staging, known: cache.resources });
  const signing = options.signingKey && options;
  const nowS = Math.floor(now() / 1_000);
  const repository = nextRepository(index, { ...options, baseUrl, signing, nowS });
  const changed = switchOver(out, { listed, index, repository }, staging);
  remember(out, cache, { listed, index, inputs: read.inputs, startedNs, staging });
  const warnings = [...read.inputs.values()].flatMap(({ notes }) => notes);
  return {
    packages: listed.length,
    versions: listed.reduce((sum, one) => sum + one.package.versions.length, 0),
    opened: read.opened,
    changed,
    notes: [...faults, ...warnings, ...index.notes].sort(byPlace),
  };
}

const byPlace = (a: Note, b: Note): number =>
  byCodeUnit(a.path ?? "", b.path ?? "") || (a.line ?? 0) - (b.line ?? 0) || byCodeUnit(a.message, b.message);

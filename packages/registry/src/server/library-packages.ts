import { buffer } from "node:stream/consumers";
import { limitConcurrency } from "@backplane/kit/concurrency";
import { Problem } from "@backplane/kit/problems";
import { ArchiveFault, listArchive, type ReadRange, readEntry } from "@backplane/kit/remote-archive";
import type { BlobStore } from "./blobs/blob-store.ts";
import type { Release } from "./catalogue/listed-package.ts";
import { preferredOf, type SeenPackages } from "./seen-packages.ts";

/** Each may be as large as a file of an archive that is unpacked in memory. */
const MAX_READ_AT_ONCE = 2;
const ENDING = /\.kicad_sym$/i;
/** In a message. */
const MAX_NAMES = 30;

export type LibraryPackages = ReturnType<typeof createLibraryPackages>;

/** Packages with symbol libraries, for schematics. */
export function createLibraryPackages({ blobs, seen }: { blobs: BlobStore; seen: SeenPackages }) {
  const fewAtATime = limitConcurrency({ atOnce: MAX_READ_AT_ONCE });

  async function read(release: Release, identifier: string, library: string): Promise<string> {
    const readRange = rangesOf(blobs, release);
    const entries = (await listArchive(readRange, release.size)).filter(({ path }) => ENDING.test(path));
    const entry = entries.find(({ path }) => libraryOf(path) === library);
    if (!entry) {
      const names = entries.slice(0, MAX_NAMES).map(({ path }) => libraryOf(path));
      const has = names.length === 0 ? "It has no symbols." : `It has ${names.join(", ")}.`;
      throw new Problem("package-unknown", { detail: `${identifier} has no library ${library}. ${has}` });
    }
    return new TextDecoder().decode(await readEntry(readRange, entry));
  }

  return {
    /** The text of a symbol library of a package, from the version that its page shows. Throws a Problem if there is none. */
    async symbols(userId: string, identifier: string, library: string): Promise<string> {
      const found = await seen.find(userId, identifier);
      const release = found && preferredOf(found.releases);
      if (!release) throw new Problem("package-unknown", { detail: `There is no package ${identifier}.` });
      try {
        return await fewAtATime(() => read(release, found.package.identifier, library));
      } catch (error) {
        if (!(error instanceof ArchiveFault)) throw error;
        throw new Problem("archives-unavailable", { detail: error.message });
      }
    },
  };
}

/** `symbols/Parts.kicad_sym` is the library Parts. */
const libraryOf = (path: string): string => (path.split("/").at(-1) ?? "").replace(ENDING, "");

const rangesOf =
  (blobs: BlobStore, { blobKey }: Release): ReadRange =>
  async (start, end) => {
    if (end <= start) return new Uint8Array();
    const blob = await blobs.read(blobKey, { start, end: end - 1 });
    if (!blob) throw new Problem("archives-unavailable", { detail: "This archive is missing from the store." });
    return new Uint8Array(await buffer(blob.stream));
  };

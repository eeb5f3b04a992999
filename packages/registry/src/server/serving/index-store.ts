import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { REGISTRY_LIMITS } from "@backplane/contract/registry";
import type { Clock } from "@backplane/kit/clock";
import type { BlobStore } from "../blobs/blob-store.ts";
import { addGzip, gzipOf, type IndexFile, type IndexName, isZip } from "../catalogue/index-file.ts";

const PREFIX = "indexes/";
/** Text is stored compressed, because a large index is replaced with every publication. */
const keyOf = (sha256: string, name: string): string => `${PREFIX}${sha256}${isZip(name) ? "" : ".gz"}`;

export type StoredIndex = { size: number; stream: Readable; encoding: "identity" | "gzip" };

export type IndexStore = ReturnType<typeof createIndexStore>;

/**
 * Index files by hash, for every instance that shares the store. Clients that read a repository.json can still get its
 * files when it was already replaced.
 */
export function createIndexStore({ blobs, now }: { blobs: BlobStore; now: Clock }) {
  const kept = new Set<string>();
  /** Since when no snapshot known to this instance has named them. */
  const unnamedSinceMs = new Map<string, number>();

  return {
    /** Resolves when every instance can read it. */
    async keep(file: IndexFile): Promise<void> {
      const key = keyOf(file.sha256, file.name);
      // Named again: the same bytes return when a status is changed back.
      unnamedSinceMs.delete(key);
      // Even if the store has it already: most clients ask this instance for the compressed form.
      await addGzip(file);
      if (kept.has(key)) return;
      const found = await blobs.read(key, { start: 0, end: 0 });
      if (found) found.stream.destroy();
      else await blobs.put(key, isZip(file.name) ? file.identity : await gzipOf(file));
      kept.add(key);
    },

    async read(sha256: string, name: IndexName): Promise<StoredIndex | undefined> {
      const found = await blobs.read(keyOf(sha256, name));
      return found && { ...found, encoding: isZip(name) ? "identity" : "gzip" };
    },

    /** Removes files that were replaced long ago. `named`: the files of the newest snapshot. */
    async sweep(named: readonly IndexFile[]): Promise<void> {
      const current = new Set(named.map((file) => keyOf(file.sha256, file.name)));
      const seen = new Set<string>();
      for await (const { key } of blobs.list(PREFIX)) {
        if (current.has(key)) continue;
        seen.add(key);
        const sinceMs = unnamedSinceMs.get(key) ?? now();
        unnamedSinceMs.set(key, sinceMs);
        if (now() - sinceMs < REGISTRY_LIMITS.keepIndexMs) continue;
        kept.delete(key);
        await blobs.remove(key);
      }
      for (const key of unnamedSinceMs.keys()) if (!seen.has(key)) unnamedSinceMs.delete(key);
    },
  };
}

/** For clients that do not accept compression. */
export function unpacked({ stream, encoding }: StoredIndex): Readable {
  if (encoding === "identity") return stream;
  const plain = createGunzip();
  stream.on("error", (error) => plain.destroy(error));
  plain.on("close", () => stream.destroy());
  return stream.pipe(plain);
}

import { FOR_EVER, NEWEST, type Served, served } from "./answer-file.ts";
import { addBrotli, type IndexFile } from "./index-file.ts";
import { filesOfBrand, indexPath, namedFiles, type Snapshot } from "./snapshot.ts";

/** What was replaced is often still asked for; beyond this it comes from the store. */
const MAX_REPLACED_BYTES = 64 * 1024 * 1024;
/** A snapshot that stays this long is worth the time of better compression. */
const COMPRESS_AFTER_MS = 2_000;

export type ServedFiles = ReturnType<typeof createServedFiles>;

/** Which file is at which address, for the requests that must be cheap. */
export function createServedFiles({ brands, onFault }: { brands: readonly string[]; onFault(error: unknown): void }) {
  let byPath = new Map<string, Served>();
  let replaced: IndexFile[] = [];
  let newest: Snapshot | undefined;
  let timer: NodeJS.Timeout | undefined;

  function pathsOf(snapshot: Snapshot): Map<string, Served> {
    const paths = new Map<string, Served>();
    const places = [["/registry", brands[0] ?? ""], ...brands.map((brand) => [`/registry/${brand}`, brand])] as const;
    for (const [folder, brand] of places) {
      for (const [name, file] of Object.entries(filesOfBrand(snapshot, brand as string) ?? {})) {
        const route = folder === "/registry" ? `/registry/${name}` : `/registry/:brand/${name}`;
        paths.set(`${folder}/${name}`, served(file, NEWEST, route));
      }
    }
    for (const file of [...replaced, ...namedFiles(snapshot)]) {
      paths.set(indexPath(file), served(file, FOR_EVER, `/registry/indexes/:sha256/${file.name}`));
    }
    return paths;
  }

  /** The youngest of those that are no longer named, as far as there is room. */
  function retain(before: Snapshot, next: Snapshot): IndexFile[] {
    const named = new Set(namedFiles(next).map(({ sha256 }) => sha256));
    let bytes = 0;
    return [...namedFiles(before), ...replaced].filter((file) => {
      if (named.has(file.sha256)) return false;
      bytes += file.size;
      return bytes <= MAX_REPLACED_BYTES;
    });
  }

  async function compress(snapshot: Snapshot): Promise<void> {
    for (const file of [...namedFiles(snapshot), ...snapshot.repositories.values()]) {
      if (newest === snapshot) await addBrotli(file);
    }
  }

  return {
    serve(next: Snapshot, before: Snapshot | undefined): void {
      if (before) replaced = retain(before, next);
      newest = next;
      byPath = pathsOf(next);
      clearTimeout(timer);
      timer = setTimeout(() => void compress(next).catch(onFault), COMPRESS_AFTER_MS).unref();
    },
    at: (path: string): Served | undefined => byPath.get(path),
    close(): void {
      newest = undefined;
      clearTimeout(timer);
    },
  };
}

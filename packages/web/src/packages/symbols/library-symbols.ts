import type { DetailedVersion } from "@backplane/contract/registry";
import { type LibrarySymbol, readSymbolLibrary } from "@backplane/kicad/schematic";
import { FileFault } from "@backplane/kicad/sexpr";
import { ArchiveFault, listArchive, type ReadRange, readEntry } from "./remote-archive.ts";

export type PackagedSymbol = { libId: string; symbol: LibrarySymbol };
export type PackagedSymbols = { symbols: PackagedSymbol[]; fault?: string };

/** Symbol libraries of one package that are read, at most. */
const MAX_LIBRARIES = 300;
const PARTIAL_CONTENT = 206;

/** The archive of a version, a part at a time; undefined when another site has it, which this page may not ask. */
function readerOf({ download_url }: DetailedVersion, signal: AbortSignal): ReadRange | undefined {
  const url = URL.parse(download_url, location.href);
  if (url?.origin !== location.origin) return undefined;
  return async (start, end) => {
    if (end <= start) return new Uint8Array();
    const headers = { range: `bytes=${start}-${end - 1}` };
    const response = await fetch(url, { headers, signal, credentials: "same-origin" });
    if (response.status !== PARTIAL_CONTENT) throw new ArchiveFault("The archive cannot be read now.");
    return response.bytes();
  };
}

/** The symbols of a library package, read from its archive without installing it. */
export async function readPackagedSymbols(version: DetailedVersion, signal: AbortSignal): Promise<PackagedSymbols> {
  const read = readerOf(version, signal);
  if (!read) return { symbols: [], fault: "The archive of this package is on another site." };
  try {
    const entries = await listArchive(read, version.download_size);
    const libraries = entries.filter(({ path }) => /\.kicad_sym$/i.test(path)).slice(0, MAX_LIBRARIES);
    const symbols: PackagedSymbol[] = [];
    for (const entry of libraries) {
      const library = (entry.path.split("/").at(-1) ?? "").replace(/\.kicad_sym$/i, "");
      const text = new TextDecoder().decode(await readEntry(read, entry));
      for (const [name, symbol] of readSymbolLibrary(text)) symbols.push({ libId: `${library}:${name}`, symbol });
    }
    return { symbols };
  } catch (error) {
    if (error instanceof ArchiveFault || error instanceof FileFault) return { symbols: [], fault: error.message };
    if (error instanceof TypeError) return { symbols: [], fault: "Backplane does not answer." };
    throw error;
  }
}

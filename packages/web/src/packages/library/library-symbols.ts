import type { DetailedVersion } from "@backplane/contract/registry";
import { type LibrarySymbol, readSymbolLibrary } from "@backplane/kicad/schematic";
import { openArchive, whyUnread } from "./open-archive.ts";

export type PackagedSymbol = { libId: string; symbol: LibrarySymbol };
export type PackagedSymbols = { symbols: PackagedSymbol[]; fault?: string };

/** Symbol libraries of one package that are read, at most. */
const MAX_LIBRARIES = 300;

/** The symbols of a library package, read from its archive without installing it. */
export async function readPackagedSymbols(version: DetailedVersion, signal: AbortSignal): Promise<PackagedSymbols> {
  try {
    const { entries, read } = await openArchive(version, signal);
    const libraries = entries.filter(({ path }) => /\.kicad_sym$/i.test(path)).slice(0, MAX_LIBRARIES);
    const symbols: PackagedSymbol[] = [];
    for (const entry of libraries) {
      const library = (entry.path.split("/").at(-1) ?? "").replace(/\.kicad_sym$/i, "");
      const text = new TextDecoder().decode(await read(entry));
      for (const [name, symbol] of readSymbolLibrary(text)) symbols.push({ libId: `${library}:${name}`, symbol });
    }
    return { symbols };
  } catch (error) {
    return { symbols: [], fault: whyUnread(error) };
  }
}

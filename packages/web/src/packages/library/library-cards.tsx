import type { DetailedVersion } from "@backplane/contract/registry";
import { useEffect, useState } from "react";
import { FootprintPainter } from "./footprint-painter.ts";
import { FootprintPicture } from "./footprint-picture.tsx";
import { type Found, LibraryCard } from "./library-card.tsx";
import { listPackagedFootprints } from "./library-footprints.ts";
import { type PackagedSymbol, readPackagedSymbols } from "./library-symbols.ts";
import { SymbolPicture } from "./symbol-picture.tsx";

/** The symbols and footprints of a library package. */
export function LibraryCards({ version }: { version: DetailedVersion }) {
  const [painter, setPainter] = useState<FootprintPainter>();
  useEffect(() => {
    const made = new FootprintPainter();
    setPainter(made);
    return () => made.close();
  }, []);
  return (
    <>
      <LibraryCard word="symbol" {...{ version, read: readSymbols }} picture={(item) => <SymbolPicture {...item} />} />
      <LibraryCard
        word="footprint"
        {...{ version, read: listPackagedFootprints }}
        picture={(footprint) => painter && <FootprintPicture {...{ footprint, painter }} />}
      />
    </>
  );
}

async function readSymbols(version: DetailedVersion, signal: AbortSignal): Promise<Found<PackagedSymbol>> {
  const { symbols, ...rest } = await readPackagedSymbols(version, signal);
  return { items: symbols, ...rest };
}

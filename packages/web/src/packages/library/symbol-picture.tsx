import { boxOf, drawPlacement, joined, toSvg } from "@backplane/kicad/drawing";
import { useMemo } from "react";
import type { PackagedSymbol } from "./library-symbols.ts";

const MARGIN_MM = 1.27;

/** A symbol as it would be on a sheet; nothing for one that draws nothing. */
export function SymbolPicture({ libId, symbol }: PackagedSymbol) {
  const picture = useMemo(() => {
    const primitives = drawPlacement(symbol, { x: 0, y: 0 }, 0);
    const { left, top, right, bottom } = joined(primitives.map(boxOf));
    const around = {
      left: left - MARGIN_MM,
      top: top - MARGIN_MM,
      right: right + MARGIN_MM,
      bottom: bottom + MARGIN_MM,
    };
    const svg = toSvg(primitives, around, libId);
    return primitives.length === 0 ? undefined : `data:image/svg+xml,${encodeURIComponent(svg)}`;
  }, [libId, symbol]);
  return picture === undefined ? null : <img src={picture} alt={`Symbol ${libId}`} loading="lazy" />;
}

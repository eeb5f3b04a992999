import { useEffect, useRef, useState } from "react";
import type { FootprintPainter } from "./footprint-painter.ts";
import type { PackagedFootprint } from "./library-footprints.ts";
import { whyUnread } from "./open-archive.ts";

type Props = { footprint: PackagedFootprint; painter: FootprintPainter };

/** A footprint as it would be on a board. */
export function FootprintPicture({ footprint, painter }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    let isLeft = false;
    void (async () => {
      try {
        const bytes = await footprint.read();
        if (isLeft) return;
        const bitmap = await painter.paint(bytes);
        if (isLeft || !canvas.current) return bitmap.close();
        canvas.current.width = bitmap.width;
        canvas.current.height = bitmap.height;
        canvas.current.getContext("bitmaprenderer")?.transferFromImageBitmap(bitmap);
        canvas.current.dataset.painted = "";
      } catch (error) {
        if (!isLeft) setFault(error instanceof Error && error.name === "Error" ? error.message : whyUnread(error));
      }
    })();
    return () => {
      isLeft = true;
    };
  }, [footprint, painter]);
  if (fault !== undefined) return <p role="alert">Not shown. {fault}</p>;
  return <canvas ref={canvas} role="img" aria-label={`Footprint ${footprint.libId}`} />;
}

import type { SheetInstance } from "../schematic/design.ts";
import { pngSize } from "./png.ts";
import type { Primitive } from "./primitives.ts";
import { drawSheet } from "./sheet.ts";
import { toSvg } from "./svg.ts";

/** Of all pictures on a sheet together, because each has to be unpacked to be drawn. Those with which there would be more are left out. */
const MAX_PICTURE_PIXELS = 16_777_216;

export interface SheetPicture {
  readonly svg: string;
  readonly widthMm: number;
  readonly heightMm: number;
}

/** One use of a sheet, with its frame, as an SVG file. */
export function pictureOf(sheet: SheetInstance, pages: number): SheetPicture {
  const { items, box } = drawSheet(sheet, pages);
  const primitives = items.flatMap((drawn) => drawn.primitives).filter(drawableOf(MAX_PICTURE_PIXELS));
  const svg = toSvg(primitives, box, sheet.name === "/" ? sheet.file : sheet.name);
  return { svg, widthMm: box.right - box.left, heightMm: box.bottom - box.top };
}

function drawableOf(maxPixels: number): (primitive: Primitive) => boolean {
  let pixels = 0;
  return (primitive) => {
    if (primitive.kind !== "picture") return true;
    const { width, height } = pngSize(primitive.base64) ?? { width: 0, height: 0 };
    const isDrawn = width * height > 0 && pixels + width * height <= maxPixels;
    if (isDrawn) pixels += width * height;
    return isDrawn;
  };
}

import type { SheetInstance } from "../schematic/design.ts";
import { pngSize } from "./png.ts";
import type { Primitive } from "./primitives.ts";
import { drawSheet } from "./sheet.ts";
import { toSvg } from "./svg.ts";

/** A picture on a sheet with more pixels is left out: it would have to be unpacked to be drawn. */
const MAX_PICTURE_PIXELS = 16_777_216;

export interface SheetPicture {
  readonly svg: string;
  readonly widthMm: number;
  readonly heightMm: number;
}

/** One use of a sheet, with its frame, as an SVG file. */
export function pictureOf(sheet: SheetInstance, pages: number): SheetPicture {
  const { items, box } = drawSheet(sheet, pages);
  const primitives = items.flatMap((drawn) => drawn.primitives).filter(isDrawable);
  const svg = toSvg(primitives, box, sheet.name === "/" ? sheet.file : sheet.name);
  return { svg, widthMm: box.right - box.left, heightMm: box.bottom - box.top };
}

function isDrawable(primitive: Primitive): boolean {
  if (primitive.kind !== "picture") return true;
  const size = pngSize(primitive.base64);
  return size !== undefined && size.width * size.height <= MAX_PICTURE_PIXELS;
}

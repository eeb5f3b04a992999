import { svgToPng } from "@backplane/kit/svg-to-png";
import type { Drawn } from "./desk.ts";
import { refused } from "./refused.ts";

interface Picture {
  readonly mimeType: "image/png" | "image/svg+xml";
  /** Pixels of a PNG, millimetres of an SVG. */
  readonly width: number;
  readonly height: number;
  readonly bytes: Buffer;
}

export async function finishPicture(
  { svg, widthMm: width, heightMm: height }: Drawn,
  format: "png" | "svg",
  pixels: number,
): Promise<Picture> {
  if (format === "svg") return { mimeType: "image/svg+xml", width, height, bytes: Buffer.from(svg) };
  const png = await svgToPng(svg, pixels);
  if (png === undefined) throw refused("This sheet is too much for a PNG. Ask for an SVG.");
  return { mimeType: "image/png", ...png };
}

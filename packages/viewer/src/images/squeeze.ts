import { readFile, writeFile } from "node:fs/promises";
import { losslessCompressPng } from "@napi-rs/image";
import sharp from "sharp";
import { pixelsOf } from "./decode.ts";
import { slimPng } from "./png.ts";

/**
 * The same pixels in fewer bytes: more ways to filter, an optimal parse, smaller forms of colour. Works outside the
 * event loop. What comes back is believed only after its pixels were compared.
 */
export async function squeeze(path: string, target: string): Promise<{ bytes: number } | undefined> {
  const png = await readFile(path);
  const { depth, icc } = await sharp(png).metadata();
  // A profile would be lost, and deeper pixels not be compared in full: neither is in a file that was made here.
  if (depth !== "uchar" || icc !== undefined) return undefined;
  const squeezed = slimPng(await losslessCompressPng(png, { strip: true }));
  if (squeezed === undefined || squeezed.length >= png.length) return undefined;
  const [before, after] = await Promise.all([pixelsOf(png), pixelsOf(squeezed)]);
  if (!before.equals(after)) return undefined;
  await writeFile(target, squeezed);
  return { bytes: squeezed.length };
}

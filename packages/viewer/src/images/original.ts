import { constants } from "node:fs";
import { copyFile, link } from "node:fs/promises";
import { PNG_COMPRESSION_LEVEL } from "@backplane/contract/viewer";
import type { Prepared, Upload } from "../services.ts";
import { openImage } from "./decode.ts";
import type { Filtering } from "./encode.ts";
import { damaged, type Inspected } from "./inspect.ts";

type Original = Prepared["original"];

/** A PNG is kept as it came: another name for the same bytes, or a copy where the file system has no such thing. */
export async function keepPng(upload: Upload, { metadata }: Inspected, target: string): Promise<Original> {
  await link(upload.path, target).catch(() => copyFile(upload.path, target, constants.COPYFILE_EXCL));
  return { path: target, width: metadata.width, height: metadata.height, bytes: upload.bytes };
}

/** Anything else without loss as PNG: in its own depth, and with its profile, so that its numbers mean the same colours. */
export async function convertToPng(
  upload: Upload,
  { metadata }: Inspected,
  target: string,
  filtering: Filtering,
  maxPixels: number,
): Promise<Original> {
  const { space, depth } = metadata;
  // PNG has no inks: those become what a screen shows of them.
  const isInk = space === "cmyk";
  const image = openImage(upload.path, maxPixels, { ignoreIcc: !isInk });
  const isDeep = depth !== "uchar";
  const deep = isDeep ? image.toColourspace(space === "b-w" || space === "grey16" ? "grey16" : "rgb16") : image;
  const kept = isInk ? deep : deep.keepIccProfile();
  const info = await kept
    .png({ compressionLevel: PNG_COMPRESSION_LEVEL, adaptiveFiltering: filtering === "adaptive" })
    .toFile(target)
    .catch((cause: unknown) => {
      throw damaged(cause);
    });
  return { path: target, width: info.width, height: info.height, bytes: info.size };
}

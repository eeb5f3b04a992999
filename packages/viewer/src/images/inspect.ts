import { type FileHandle, open } from "node:fs/promises";
import { Problem } from "@backplane/kit/problems";
import sharp, { type Metadata } from "sharp";
import { hasMorePieces } from "./frames.ts";
import { type ImageType, sniffType } from "./image-type.ts";
import { IMAGE_LIMITS } from "./limits.ts";
import { PNG_END } from "./png.ts";

export type Inspected = { type: ImageType; metadata: Metadata };

const KEPT = "PNG, JPEG, WebP, GIF, AVIF and TIFF can be pasted";

/** What a file is, from its first bytes and its header alone: nothing is decoded yet, however large it says it is. */
export async function inspect(path: string, maxPixels: number): Promise<Inspected> {
  await using file = await open(path);
  const sniffed = sniffType(await readAt(file, 0, IMAGE_LIMITS.sniffedBytes));
  if (sniffed === undefined) throw new Problem("not-an-image", { detail: `The bytes are of no known image. ${KEPT}.` });
  if ("refused" in sniffed) throw new Problem("not-an-image", { detail: `This is ${sniffed.refused}. ${KEPT}.` });
  const { type, format } = sniffed;
  if (await isCutToPieces(file, type)) throw tooManyFrames();
  const metadata = await readHeader(path);
  if (metadata.format !== format) throw new Problem("image-damaged", { detail: `The header is not that of ${type}.` });
  const { width, height } = metadata;
  if (width * height > maxPixels) throw tooLarge(width, height, maxPixels);
  if (type === "image/png") await expectEnd(file);
  return { type, metadata };
}

const tooLarge = (width: number, height: number, maxPixels: number) =>
  new Problem("image-too-large", {
    detail: `It has ${width} × ${height} pixels; up to ${maxPixels / 1_000_000} million are taken. Paste a part of it.`,
  });

const tooManyFrames = () =>
  new Problem("image-too-large", {
    detail: `It has more than ${IMAGE_LIMITS.maxFrames} frames, and only the first is kept. Paste that one.`,
  });

const isCutToPieces = async (file: FileHandle, type: ImageType): Promise<boolean> =>
  (type === "image/gif" || type === "image/webp") && hasMorePieces(type, await file.readFile(), IMAGE_LIMITS.maxFrames);

/** No bound here: how large it is must be known before it can be said. */
function readHeader(path: string): Promise<Metadata> {
  return sharp(path, { limitInputPixels: false, failOn: "error" })
    .metadata()
    .catch((cause: unknown) => {
      throw damaged(cause);
    });
}

export const damaged = (cause: unknown) =>
  new Problem("image-damaged", { detail: "Its bytes are not whole. Copy the image again and paste it.", cause });

/** libpng takes a file that lacks its end when all pixels are there; the original would be kept as a damaged file. */
async function expectEnd(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  const tail = await readAt(file, Math.max(0, size - PNG_END.length), PNG_END.length);
  if (tail.equals(PNG_END)) return;
  if (!(await file.readFile()).includes(PNG_END)) throw damaged(new Error("There is no IEND."));
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

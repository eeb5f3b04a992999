import { type FileHandle, open } from "node:fs/promises";
import { Problem } from "@backplane/kit/problems";
import type { Metadata } from "sharp";
import sharp from "sharp";
import { type ImageType, sniffType } from "./image-type.ts";
import { IMAGE_LIMITS } from "./limits.ts";
import { PNG_END } from "./png.ts";

export type Inspected = { type: ImageType; metadata: Metadata };

const SUPPORTED = "PNG, JPEG, WebP, GIF, AVIF and TIFF can be pasted";

/** Reads the first bytes and the header only. Nothing is decoded, however large the image claims to be. */
export async function inspect(path: string, maxPixels: number): Promise<Inspected> {
  await using file = await open(path);
  const sniffed = sniffType(await readAt(file, 0, IMAGE_LIMITS.sniffedBytes));
  if (sniffed === undefined)
    throw new Problem("not-an-image", { detail: `The file is not a known image type. ${SUPPORTED}.` });
  if ("refused" in sniffed) throw new Problem("not-an-image", { detail: `This is ${sniffed.refused}. ${SUPPORTED}.` });
  const { type, format } = sniffed;
  if (await hasTooManyFrames(file, type)) throw tooManyFrames();
  const metadata = await readHeader(path);
  if (metadata.format !== format) throw new Problem("image-damaged", { detail: `The header does not match ${type}.` });
  const { width, height } = metadata;
  if (width * height > maxPixels) throw tooLarge(width, height, maxPixels);
  if (type === "image/png") await expectEnd(file);
  return { type, metadata };
}

const tooLarge = (width: number, height: number, maxPixels: number) =>
  new Problem("image-too-large", {
    detail: `The image has ${width} × ${height} pixels; the limit is ${maxPixels / 1_000_000} million. Paste a part of it.`,
  });

const tooManyFrames = () =>
  new Problem("image-too-large", {
    detail: `The image has more than ${IMAGE_LIMITS.maxFrames} frames. Only the first is kept, so paste just that one.`,
  });

const hasTooManyFrames = async (file: FileHandle, type: ImageType): Promise<boolean> =>
  (type === "image/gif" || type === "image/webp") && hasMorePieces(type, await file.readFile(), IMAGE_LIMITS.maxFrames);

/** No pixel limit here: the size must be known to name it in the error. */
function readHeader(path: string): Promise<Metadata> {
  return sharp(path, { limitInputPixels: false, failOn: "error" })
    .metadata()
    .catch((cause: unknown) => {
      throw damaged(cause);
    });
}

const damaged = (cause: unknown) =>
  new Problem("image-damaged", { detail: "The image file is incomplete. Copy the image again and paste it.", cause });

/** For a pass over the image that failed. */
export function refuse(cause: unknown): never {
  // libvips says it in the text only.
  if (!(cause instanceof Error && cause.message.startsWith("timeout"))) throw damaged(cause);
  const detail = `Reading the image takes more than ${IMAGE_LIMITS.passTimeoutS} s. Paste a part of it, or a smaller copy.`;
  throw new Problem("image-too-large", { detail, cause });
}

/** libpng accepts a file without its end if all pixels are there; the original would then be stored damaged. */
async function expectEnd(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  const tail = await readAt(file, Math.max(0, size - PNG_END.length), PNG_END.length);
  if (tail.equals(PNG_END)) return;
  if (!(await file.readFile()).includes(PNG_END)) throw damaged(new Error("IEND is missing."));
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

const GIF_HEADER_BYTES = 13;
const GIF_FRAME_BYTES = 10;
const [GIF_EXTENSION, GIF_FRAME] = [0x21, 0x2c];
const RIFF_HEADER_BYTES = 12;
const RIFF_CHUNK_BYTES = 8;

/**
 * Whether an image has more than `max` pieces: frames of a GIF, chunks of a WebP. Their decoders read all of them to get the
 * first one, in time that grows with the square of their number, and cannot be stopped.
 */
function hasMorePieces(type: ImageType, bytes: Buffer, max: number): boolean {
  if (type === "image/gif") return isOver(gifFrames(bytes), max);
  return type === "image/webp" && isOver(riffChunks(bytes), max);
}

function isOver(pieces: Iterator<number>, max: number): boolean {
  let count = 0;
  while (!pieces.next().done) {
    count += 1;
    if (count > max) return true;
  }
  return false;
}

/** Yields the start of each frame. Anything that is not a block ends the list, as it does in the decoder. */
function* gifFrames(bytes: Buffer): Generator<number, void> {
  let at = GIF_HEADER_BYTES + colourTableBytes(bytes[10]);
  while (at < bytes.length) {
    if (bytes[at] === GIF_FRAME) {
      yield at;
      at = afterBlocks(bytes, at + GIF_FRAME_BYTES + colourTableBytes(bytes[at + 9]) + 1);
    } else if (bytes[at] === GIF_EXTENSION) at = afterBlocks(bytes, at + 2);
    else return;
  }
}

const colourTableBytes = (flags = 0): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Each block starts with its length; the last one is empty. */
function afterBlocks(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== 0) at += 1 + (bytes[at] ?? 0);
  return at + 1;
}

function* riffChunks(bytes: Buffer): Generator<number, void> {
  let at = RIFF_HEADER_BYTES;
  while (at + RIFF_CHUNK_BYTES <= bytes.length) {
    yield at;
    const length = bytes.readUInt32LE(at + 4);
    at += RIFF_CHUNK_BYTES + length + (length % 2);
  }
}

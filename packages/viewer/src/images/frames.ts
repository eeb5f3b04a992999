import type { ImageType } from "./image-type.ts";

const GIF_HEADER_BYTES = 13;
const GIF_FRAME_BYTES = 10;
const [GIF_EXTENSION, GIF_FRAME] = [0x21, 0x2c];
const RIFF_HEADER_BYTES = 12;
const RIFF_CHUNK_BYTES = 8;

/**
 * Whether an image is cut into more pieces than `most`: frames of a GIF, chunks of a WebP. Their decoders read them all
 * to know the first one, in a time that grows with the square of how many there are, and cannot be stopped meanwhile.
 */
export function hasMorePieces(type: ImageType, bytes: Buffer, most: number): boolean {
  if (type === "image/gif") return isOver(gifFrames(bytes), most);
  return type === "image/webp" && isOver(riffChunks(bytes), most);
}

function isOver(pieces: Iterator<number>, most: number): boolean {
  let count = 0;
  while (!pieces.next().done) {
    count += 1;
    if (count > most) return true;
  }
  return false;
}

/** Where each begins. What is no block ends the list, as it ends the decoder's. */
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

/** Each says how long it is, the last one that it is empty. */
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

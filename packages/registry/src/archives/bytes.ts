import { createHash, hash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { refuse } from "./archive.ts";

/** An archive's bytes: random access for its directory, then one pass in order for everything else. */
export type ArchiveBytes = {
  readonly size: number;
  /** Random access; does not move `position`. */
  at(offset: number, length: number): Buffer | Promise<Buffer>;
  /** How far the pass in order has come. */
  readonly position: number;
  /** Wait for this before taking so many bytes; undefined when they are in memory already. */
  ready(length: number): Promise<void> | undefined;
  take(length: number): Buffer;
  /** The next `length` bytes, in pieces. */
  pieces(length: number): Iterable<Buffer> | AsyncIterable<Buffer>;
  /** The hash of the whole file; reads the rest of it first. */
  sha256(): string | Promise<string>;
  close(): Promise<void>;
};

/** Smaller archives are read synchronously: a trip to the thread pool and back takes longer. */
export const HELD_BYTES = 4 * 1024 * 1024;
const PIECE_BYTES = 256 * 1024;

export async function openBytes(
  source: string | Buffer,
  maxBytes: number,
  { heldBytes = HELD_BYTES, scratch }: { heldBytes?: number; scratch?: Buffer } = {},
): Promise<ArchiveBytes> {
  const small = typeof source === "string" ? readSmall(source, heldBytes, scratch) : source;
  if (small) return small.length > maxBytes ? tooLarge(small.length, maxBytes) : inMemory(small);
  const handle = await open(source);
  try {
    const { size } = await handle.stat();
    return size > maxBytes ? tooLarge(size, maxBytes) : onDisk(handle, size);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function readSmall(file: string, heldBytes: number, scratch?: Buffer): Buffer | undefined {
  const descriptor = openSync(file, "r");
  try {
    const { size } = fstatSync(descriptor);
    if (size > heldBytes) return undefined;
    const whole = scratch && size <= scratch.length ? scratch.subarray(0, size) : Buffer.allocUnsafe(size);
    for (let done = 0; done < size; ) {
      const bytesRead = readSync(descriptor, whole, done, size - done, done);
      if (bytesRead === 0) cutOff();
      done += bytesRead;
    }
    return whole;
  } finally {
    closeSync(descriptor);
  }
}

function inMemory(whole: Buffer): ArchiveBytes {
  let position = 0;
  const at = (offset: number, length: number) =>
    offset + length > whole.length ? cutOff() : whole.subarray(offset, offset + length);
  const take = (length: number) => {
    const bytes = at(position, length);
    position += length;
    return bytes;
  };
  return {
    size: whole.length,
    at,
    get position() {
      return position;
    },
    ready: () => undefined,
    take,
    *pieces(length) {
      for (let left = length; left > 0; left -= Math.min(left, PIECE_BYTES)) yield take(Math.min(left, PIECE_BYTES));
    },
    sha256: () => hash("sha256", whole, "hex"),
    close: async () => {},
  };
}

function onDisk(handle: FileHandle, size: number): ArchiveBytes {
  const sum = createHash("sha256");
  /** Bytes from `position` on that were read and hashed. */
  let ahead: Buffer = Buffer.alloc(0);
  let position = 0;
  const readOn = async (length: number) => {
    const start = position + ahead.length;
    const missing = Math.max(PIECE_BYTES, length - ahead.length);
    const piece = await readAt(handle, start, Math.min(missing, size - start));
    sum.update(piece);
    ahead = ahead.length === 0 ? piece : Buffer.concat([ahead, piece]);
  };
  const take = (length: number) => {
    if (length > ahead.length) cutOff();
    const bytes = ahead.subarray(0, length);
    ahead = ahead.subarray(length);
    position += length;
    return bytes;
  };
  const ready = (length: number) =>
    ahead.length >= Math.min(length, size - position) ? undefined : readOn(Math.min(length, size - position));
  return {
    size,
    at: (offset, length) => (offset + length > size ? cutOff() : readAt(handle, offset, length)),
    get position() {
      return position;
    },
    ready,
    take,
    async *pieces(length) {
      for (let left = length; left > 0; ) {
        await ready(1);
        const piece = take(Math.min(left, Math.max(1, ahead.length)));
        left -= piece.length;
        yield piece;
      }
    },
    async sha256() {
      for (take(ahead.length); position < size; take(ahead.length)) await ready(1);
      return sum.digest("hex");
    },
    close: () => handle.close(),
  };
}

async function readAt(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await handle.read(bytes, done, length - done, offset + done);
    if (bytesRead === 0) cutOff();
    done += bytesRead;
  }
  return bytes;
}

const cutOff = (): never => refuse("truncated", "The archive is cut off. Download or pack it again.");
const tooLarge = (size: number, maxBytes: number): never =>
  refuse("too-large", `The archive has ${size} bytes; ${maxBytes} are allowed. Make it smaller.`);

import type { Readable } from "node:stream";
import { Problem } from "@backplane/kit/problems";

/** Bytes by key. These laws hold for every store; `blob-store.suite.ts` checks them.
 *
 * - A blob is complete or absent: an interrupted put leaves the previous blob.
 * - After concurrent puts of one key, one complete blob remains.
 * - When a put has resolved, the bytes are stored durably.
 * - A store that does not answer gives Problem "archives-unavailable" within a limited time; a folder on a disk that is full
 *   or away gives the problem that says so.
 */
export type BlobStore = {
  /** The file must not be changed afterwards, but may be removed. */
  putFile(key: string, file: string): Promise<void>;
  /** Several pieces are stored as one blob, one after the other. */
  put(key: string, bytes: Uint8Array | readonly Uint8Array[]): Promise<void>;
  /**
   * `size` is the size of the whole blob. Read the stream to its end or destroy it. An end after the last byte means that
   * byte; a start there is Problem "range-not-satisfiable". Undefined if there is no such blob.
   */
  read(key: string, range?: BlobRange): Promise<{ size: number; stream: Readable } | undefined>;
  /** Does nothing if there is no such blob. */
  remove(key: string): Promise<void>;
  /** Every blob whose key begins with the prefix, in no particular order. */
  list(prefix: string): AsyncIterable<ListedBlob>;
  /** Resolves when the store answers. */
  ping(): Promise<void>;
};

/** Both ends are included. */
export type BlobRange = { start: number; end: number };

export type ListedBlob = { key: string; size: number; modifiedMs: number };

const MAX_KEY_CHARACTERS = 400;

/** Safe in file systems, addresses and XML: no "..", no hidden names, nothing to escape. */
const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;
const PREFIX = /^([A-Za-z0-9][A-Za-z0-9._-]*\/)*([A-Za-z0-9][A-Za-z0-9._-]*)?$/;

/** Throws a TypeError for a bad key: keys are made by this program. */
export function checkBlobKey(key: string): void {
  if (key.length > MAX_KEY_CHARACTERS || !KEY.test(key)) throw new TypeError("not a key of a blob");
}

export function checkBlobPrefix(prefix: string): void {
  if (prefix.length > MAX_KEY_CHARACTERS || !PREFIX.test(prefix)) throw new TypeError("not a prefix of a blob's key");
}

/** The range, cut to the size. */
export function checkRange(range: BlobRange | undefined, size: number): BlobRange | undefined {
  if (!range) return undefined;
  if (range.start < 0 || range.end < range.start || range.start >= size) throw new Problem("range-not-satisfiable");
  return { start: range.start, end: Math.min(range.end, size - 1) };
}

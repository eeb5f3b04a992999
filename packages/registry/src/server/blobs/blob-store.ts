import type { Readable } from "node:stream";
import { Problem } from "@backplane/kit/problems";

/** Bytes by key. The laws hold on every store; `blob-store.suite.ts` checks them.
 *
 * - A blob is whole or not there: a put that is cut off leaves what was there before.
 * - Of concurrent puts of one key one whole blob stays.
 * - When a put has resolved, the bytes are where the store keeps them for good.
 * - A store that does not answer is Problem "archives-unavailable", within a bounded time.
 */
export type BlobStore = {
  /** The file must not be changed afterwards; it may be removed. */
  putFile(key: string, file: string): Promise<void>;
  put(key: string, bytes: Uint8Array): Promise<void>;
  /**
   * `size` is that of the whole blob. The stream must be read to its end or destroyed. An end behind the last byte means
   * that byte; a start there is Problem "range-not-satisfiable". Undefined: there is no such blob.
   */
  read(key: string, range?: BlobRange): Promise<{ size: number; stream: Readable } | undefined>;
  /** Does nothing where there is none. */
  remove(key: string): Promise<void>;
  /** Every blob whose key begins with the prefix, in no order. */
  list(prefix: string): AsyncIterable<ListedBlob>;
  /** Resolves when the store answers. */
  ping(): Promise<void>;
};

/** Both ends belong to it. */
export type BlobRange = { start: number; end: number };

export type ListedBlob = { key: string; size: number; modifiedMs: number };

const MAX_KEY_CHARACTERS = 400;

/** Parts that no file system, address or XML reads as something else: no "..", no hidden names, nothing to escape. */
const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;
const PREFIX = /^([A-Za-z0-9][A-Za-z0-9._-]*\/)*([A-Za-z0-9][A-Za-z0-9._-]*)?$/;

/** Throws when it is none: keys are made by this program, a bad one is its fault. */
export function checkBlobKey(key: string): void {
  if (key.length > MAX_KEY_CHARACTERS || !KEY.test(key)) throw new TypeError("not a key of a blob");
}

export function checkBlobPrefix(prefix: string): void {
  if (prefix.length > MAX_KEY_CHARACTERS || !PREFIX.test(prefix)) throw new TypeError("not a prefix of a blob's key");
}

/** The range as far as there are bytes. */
export function checkRange(range: BlobRange | undefined, size: number): BlobRange | undefined {
  if (!range) return undefined;
  if (range.start < 0 || range.end < range.start || range.start >= size) throw new Problem("range-not-satisfiable");
  return { start: range.start, end: Math.min(range.end, size - 1) };
}

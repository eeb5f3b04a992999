import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";

const PIECE_BYTES = 64 * 1024;

/** A stream of bytes that many answers share: a client that does not read them costs a piece, not the whole. */
export function piecesOf(bytes: Buffer): Readable {
  let at = 0;
  return new Readable({
    read() {
      this.push(at < bytes.length ? bytes.subarray(at, at + PIECE_BYTES) : null);
      at += PIECE_BYTES;
    },
  });
}

/** Ends an answer on node:http with such bytes. */
export function endWithPieces(response: ServerResponse, bytes: Buffer): void {
  if (bytes.length <= PIECE_BYTES) response.end(bytes);
  else piecesOf(bytes).pipe(response);
}

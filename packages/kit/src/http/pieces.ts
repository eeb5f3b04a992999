import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";

/** Small enough that 256 clients of one address may wait for one (`maxUnsentBytesPerAddress`), large enough to send 25 MB quickly. */
const PIECE_BYTES = 256 * 1024;

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

/** Ends an answer on node:http with such bytes: by hand, because a stream would go on as long as one fast client reads, and the others wait. */
export function endWithPieces(response: ServerResponse, bytes: Buffer | readonly Buffer[]): void {
  const buffers = Buffer.isBuffer(bytes) ? [bytes] : bytes;
  let [place, at] = [0, 0];
  const send = (): void => {
    for (; place < buffers.length; place += 1, at = 0) {
      const buffer = buffers[place] as Buffer;
      for (; at < buffer.length; at += PIECE_BYTES) {
        const isLast = place === buffers.length - 1 && at + PIECE_BYTES >= buffer.length;
        if (isLast) return void response.end(buffer.subarray(at));
        if (response.destroyed) return;
        // Not before the client has taken the last one, and after everybody else's turn.
        if (response.writableNeedDrain) return void response.once("drain", () => setImmediate(send));
        response.write(buffer.subarray(at, at + PIECE_BYTES));
      }
    }
    response.end();
  };
  send();
}

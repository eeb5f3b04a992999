/** Bytes that have come and are not read yet. Each byte is copied once, however small the pieces are. */
export type Inbox = {
  /** Throws above the limit. */
  add(piece: Buffer): void;
  /** What is there now. It changes with the next call. */
  view(): Buffer;
  drop(bytes: number): void;
};

const FIRST_BYTES = 4_096;

export function createInbox(maxBytes: number): Inbox {
  let bytes = Buffer.alloc(Math.min(FIRST_BYTES, maxBytes));
  let start = 0;
  let end = 0;
  return {
    add(piece) {
      const needed = end - start + piece.length;
      if (needed > maxBytes) throw new Error("A message is too long.");
      if (end + piece.length > bytes.length) {
        const next = 2 * needed > bytes.length ? Buffer.alloc(Math.min(2 * needed, maxBytes)) : bytes;
        bytes.copy(next, 0, start, end);
        [bytes, start, end] = [next, 0, end - start];
      }
      piece.copy(bytes, end);
      end += piece.length;
    },
    view: () => bytes.subarray(start, end),
    drop(count) {
      start += count;
      if (start >= end) start = end = 0;
    },
  };
}

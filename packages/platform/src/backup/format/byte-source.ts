import { TarFault } from "./tar.ts";

/** Bytes that arrive in pieces, read in the sizes that the reader wants. */
export class ByteSource {
  readonly #pieces: AsyncIterator<Buffer>;
  #piece: Buffer = Buffer.alloc(0);
  bytes = 0;

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** Some bytes, at least one and at most `max`. */
  async next(max: number): Promise<Buffer> {
    if (!(await this.hasMore())) throw new TarFault("it ends too early");
    const part = this.#piece.subarray(0, max);
    this.#piece = this.#piece.subarray(part.length);
    this.bytes += part.length;
    return part;
  }

  /** Exactly so many bytes. */
  async read(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = size; left > 0; ) {
      const part = await this.next(left);
      parts.push(part);
      left -= part.length;
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  async hasMore(): Promise<boolean> {
    while (this.#piece.length === 0) {
      const { value, done } = await this.#pieces.next();
      if (done === true) return false;
      this.#piece = value;
    }
    return true;
  }
}

const NOTHING = Buffer.alloc(0);
const FIRST_CAPACITY_BYTES = 256;

/**
 * Takes the mask off in place. The mask's highest byte goes with the first byte. Returns all bytes or-ed together:
 * without the high bit they are ASCII.
 */
export function unmask(bytes: Buffer, from: number, to: number, mask: number): number {
  const first = mask >>> 24;
  const second = (mask >>> 16) & 0xff;
  const third = (mask >>> 8) & 0xff;
  const fourth = mask & 0xff;
  let seen = 0;
  let i = from;
  for (; i + 3 < to; i += 4) {
    seen |= bytes[i] = (bytes[i] as number) ^ first;
    seen |= bytes[i + 1] = (bytes[i + 1] as number) ^ second;
    seen |= bytes[i + 2] = (bytes[i + 2] as number) ^ third;
    seen |= bytes[i + 3] = (bytes[i + 3] as number) ^ fourth;
  }
  if (i < to) seen |= bytes[i] = (bytes[i] as number) ^ first;
  if (i + 1 < to) seen |= bytes[i + 1] = (bytes[i + 1] as number) ^ second;
  if (i + 2 < to) seen |= bytes[i + 2] = (bytes[i + 2] as number) ^ third;
  return seen;
}

/** The mask after this many bytes. */
export function rotateMask(mask: number, bytes: number): number {
  const bits = (bytes & 3) * 8;
  return (mask << bits) | (mask >>> (32 - bits));
}

/**
 * A payload that arrives in pieces. It grows by doubling, so that single bytes cost no more than whole pieces, and a
 * peer that only announces a long payload occupies nothing.
 */
export class PayloadParts {
  readonly #maxBytes: number;
  #bytes = NOTHING;
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#length;
  }

  add(chunk: Buffer, from: number, to: number): void {
    const length = this.#length + to - from;
    if (length > this.#bytes.length) {
      const capacity = Math.max(length, Math.min(this.#maxBytes, 2 * this.#bytes.length), FIRST_CAPACITY_BYTES);
      // Not from the pool: a few bytes that stay would hold a whole slab of it.
      const grown = Buffer.allocUnsafeSlow(capacity);
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    }
    chunk.copy(this.#bytes, this.#length, from, to);
    this.#length = length;
  }

  /** The whole payload; afterwards this is empty. */
  take(): Buffer {
    const whole = this.#bytes.subarray(0, this.#length);
    this.drop();
    return whole;
  }

  drop(): void {
    this.#bytes = NOTHING;
    this.#length = 0;
  }
}

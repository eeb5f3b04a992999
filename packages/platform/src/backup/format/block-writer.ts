/** Where the bytes of a backup go, in order. */
export type Sink = {
  /** Resolves when the bytes may be overwritten. */
  write(bytes: Buffer): Promise<void>;
  /** Everything is written: from now on others see it. */
  finish(): Promise<void>;
  /** Removes what was written. Never throws. */
  abandon(): Promise<void>;
};

const BUFFER_BYTES = 1024 * 1024;
/** One is filled while the others are written. */
const BUFFERS = 4;

/**
 * Collects bytes in large buffers and hands each full one to the sink, so that thousands of small files cost few writes and
 * reading goes on while the sink writes. The memory is the same for any number of bytes.
 */
export class BlockWriter {
  readonly #sink: Sink;
  readonly #free: Buffer[] = Array.from({ length: BUFFERS - 1 }, () => Buffer.allocUnsafeSlow(BUFFER_BYTES));
  #current: Buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  #filled = 0;
  #writing: Promise<void> = Promise.resolve();
  #fault: { error: unknown } | undefined;
  #onFree: (() => void) | undefined;
  bytes = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** A free part of the buffer; call `filled` with how much of it was used. */
  async space(): Promise<Buffer> {
    if (this.#filled === BUFFER_BYTES) await this.#turn();
    return this.#current.subarray(this.#filled);
  }

  filled(bytes: number): void {
    this.#filled += bytes;
    this.bytes += bytes;
  }

  async write(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const space = await this.space();
      const copied = bytes.copy(space, 0, at);
      this.filled(copied);
      at += copied;
    }
  }

  /** Hands everything to the sink. */
  async end(): Promise<void> {
    const last = this.#current.subarray(0, this.#filled);
    this.#filled = 0;
    await this.#writing;
    this.#check();
    if (last.length > 0) await this.#sink.write(last);
  }

  async #turn(): Promise<void> {
    const full = this.#current;
    this.#filled = 0;
    this.#writing = this.#writing
      .then(() => this.#sink.write(full))
      .catch((error: unknown) => {
        this.#fault ??= { error };
      })
      .finally(() => {
        this.#free.push(full);
        this.#onFree?.();
      });
    while (this.#free.length === 0) {
      await new Promise<void>((resolve) => {
        this.#onFree = resolve;
      });
    }
    this.#check();
    this.#current = this.#free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
  }

  #check(): void {
    if (this.#fault) throw this.#fault.error;
  }
}

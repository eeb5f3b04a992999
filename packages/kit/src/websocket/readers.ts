import { type FrameLimits, FrameReader } from "./frames.ts";

/** Readers are held only while a message is under way, so that a silent connection has none. */
export class FrameReaders {
  readonly #limits: FrameLimits;
  #spare: FrameReader | undefined;

  constructor(limits: FrameLimits) {
    this.#limits = limits;
  }

  take(): FrameReader {
    const reader = this.#spare ?? new FrameReader(this.#limits);
    this.#spare = undefined;
    return reader;
  }

  /** For the next one; it must be at rest. */
  giveBack(reader: FrameReader): void {
    this.#spare = reader;
  }
}

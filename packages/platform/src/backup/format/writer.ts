import { createHash, type Hash } from "node:crypto";
import { BlockWriter, type Sink } from "./block-writer.ts";
import { DIGESTS_PER_LIST, digestLine, END, listName, ownDigestLine, type Summary } from "./layout.ts";
import { BLOCK_BYTES, headerOf, paddingOf, type TarFile } from "./tar.ts";

/** Reads the next bytes of a file into the buffer, and returns how many. 0: there are no more. */
export type ReadInto = (space: Buffer) => number | Promise<number>;

/** Fewer bytes than announced. The entry in the backup is void: write it again. */
export class CutShort extends Error {
  override name = "CutShort";
}

export type EntryFacts = Pick<TarFile, "name"> & Partial<TarFile>;

/** Writes the entries of a backup, each with a digest of its header, content and padding. */
export class BackupWriter {
  readonly #out: BlockWriter;
  readonly #mtimeS: number;
  #lines: string[] = [];
  #lists = 0;
  #entries = 0;

  constructor(sink: Sink, mtimeS: number) {
    this.#out = new BlockWriter(sink);
    this.#mtimeS = mtimeS;
  }

  get bytes(): number {
    return this.#out.bytes;
  }

  /** A small entry. */
  async add(facts: EntryFacts, content: Buffer): Promise<void> {
    let at = 0;
    await this.addFrom({ ...facts, size: content.length }, (space) => {
      const copied = content.copy(space, 0, at);
      at += copied;
      return copied;
    });
  }

  /**
   * An entry of a known size. When there are fewer bytes, or reading fails, the rest is filled with zeros and the fault is
   * thrown; of entries with the same name, the last one counts.
   */
  async addFrom(facts: EntryFacts & { size: number }, read: ReadInto): Promise<void> {
    const hash = createHash("sha256");
    let fault: { error: unknown } | undefined;
    await this.#write(hash, headerOf({ mode: 0o600, mtimeS: this.#mtimeS, ...facts }));
    for (let left = facts.size; left > 0; ) {
      const space = (await this.#out.space()).subarray(0, Math.min(left, MAX_READ_BYTES));
      let got = 0;
      if (!fault) {
        try {
          got = await read(space);
          if (got === 0) throw new CutShort(`${facts.name} has become shorter while it was read.`);
        } catch (error) {
          fault = { error };
        }
      }
      if (fault) got = space.fill(0).length;
      hash.update(space.subarray(0, got));
      this.#out.filled(got);
      left -= got;
    }
    await this.#write(hash, Buffer.alloc(paddingOf(facts.size)));
    this.#list(facts.name, hash);
    if (this.#lines.length >= DIGESTS_PER_LIST) await this.#flushList();
    if (fault) throw fault.error;
  }

  /** The last entry, with the digests of those since the last list, a summary, and a digest of itself. */
  async end(summary: Omit<Summary, "entries">): Promise<void> {
    const text = Buffer.from(`${this.#lines.join("")}${JSON.stringify({ ...summary, entries: this.#entries })}\n`);
    const size = text.length + ownDigestLine("0".repeat(64)).length;
    const header = headerOf({ name: END, size, mode: 0o600, mtimeS: this.#mtimeS });
    const digest = createHash("sha256").update(header).update(text).digest("hex");
    await this.#out.write(header);
    await this.#out.write(text);
    await this.#out.write(Buffer.from(ownDigestLine(digest)));
    await this.#out.write(Buffer.alloc(paddingOf(size) + 2 * BLOCK_BYTES));
    await this.#out.end();
  }

  /** Lists are written now and then, so that neither writing nor verifying needs memory for all of them. */
  async #flushList(): Promise<void> {
    const text = Buffer.from(this.#lines.join(""));
    this.#lines = [];
    this.#lists += 1;
    const name = listName(this.#lists);
    const hash = createHash("sha256");
    await this.#write(hash, headerOf({ name, size: text.length, mode: 0o600, mtimeS: this.#mtimeS }));
    await this.#write(hash, text);
    await this.#write(hash, Buffer.alloc(paddingOf(text.length)));
    this.#list(name, hash);
  }

  #list(name: string, hash: Hash): void {
    this.#lines.push(digestLine(name, hash.digest("hex")));
    this.#entries += 1;
  }

  async #write(hash: Hash, bytes: Buffer): Promise<void> {
    hash.update(bytes);
    await this.#out.write(bytes);
  }
}

/** Half of the buffer, so that the other processes of the machine are let in between. */
const MAX_READ_BYTES = 512 * 1024;

import { createHash, type Hash } from "node:crypto";
import type { ErrorCode } from "@backplane/contract/problems";
import { ByteSource } from "./byte-source.ts";
import { BEGIN, type Beginning, END, FORMAT, isList, type Summary } from "./layout.ts";
import { BLOCK_BYTES, paddingOf, readBlock, readPax, TarFault, type TarFile } from "./tar.ts";

/** A backup that cannot be used, as a sentence. */
export class BackupFault extends Error {
  override name = "BackupFault";
  /** The entries that are damaged, as far as that is known. */
  readonly damaged: readonly string[];
  /** For exit codes. */
  readonly code: ErrorCode;

  constructor(message: string, damaged: readonly string[] = [], code: ErrorCode = "backup-unusable") {
    super(message);
    this.damaged = damaged;
    this.code = code;
  }
}

/** Called for every entry, except for the lists of digests and the last one. Reads the content, or leaves some of it. */
export type OnEntry = (entry: TarFile, content: AsyncIterable<Buffer>) => Promise<void>;

export type ReadBackup = { beginning: Beginning; summary: Summary; bytes: number };

/** The first entry says how to read the others: no more than this. */
const MAX_BEGINNING_BYTES = 64 * 1024;
/** A list of digests, or the last entry, is read as a whole. */
const MAX_LIST_BYTES = 64 * 1024 * 1024;
const MAX_NAMED = 20;

/**
 * Reads a backup from its first byte to its last and checks every one of them. Throws a BackupFault if one is wrong: what
 * `onEntry` was given before must then be thrown away.
 */
export async function readBackup(source: AsyncIterable<Buffer>, onEntry: OnEntry): Promise<ReadBackup> {
  const reader = new Reader(source, onEntry);
  try {
    return await reader.run();
  } catch (error) {
    if (!(error instanceof TarFault)) throw error;
    throw reader.faultOf(error);
  }
}

class Reader {
  readonly #source: ByteSource;
  readonly #onEntry: OnEntry;
  /** Of the entries since the last list. */
  #digests: { name: string; sha256: string }[] = [];
  readonly #damaged: string[] = [];
  #entries = 0;
  #last = "";
  #beginning: Beginning | undefined;

  constructor(source: AsyncIterable<Buffer>, onEntry: OnEntry) {
    this.#source = new ByteSource(source);
    this.#onEntry = onEntry;
  }

  async run(): Promise<ReadBackup> {
    for (;;) {
      const hash = createHash("sha256");
      const file = await this.#header(hash);
      if (file.name === END) return { ...(await this.#end(file, hash)), bytes: this.#source.bytes };
      if (isList(file.name)) await this.#list(file, hash);
      else await this.#entry(file, hash);
    }
  }

  faultOf({ message }: TarFault): BackupFault {
    if (this.#beginning === undefined)
      return new BackupFault(`This is not a backup, or its beginning is damaged: ${message}.`);
    const damaged = this.#named();
    const where = `at byte ${this.#source.bytes}, after ${this.#last}`;
    return new BackupFault(`The backup is damaged: ${message} ${where}.${damaged}`, this.#damaged);
  }

  #named(): string {
    return this.#damaged.length === 0 ? "" : ` Damaged before that: ${this.#damaged.join(", ")}.`;
  }

  async #header(hash: Hash): Promise<TarFile> {
    const first = await this.#block(hash);
    if (first.type === "0") return first;
    const text = await this.#read(hash, first.size);
    await this.#padding(hash, first.size);
    const { type, ...file } = await this.#block(hash);
    if (type !== "0") throw new TarFault("a header is damaged");
    return { ...file, ...readPax(text) };
  }

  async #block(hash: Hash): Promise<ReturnType<typeof readBlock>> {
    return readBlock(await this.#read(hash, BLOCK_BYTES));
  }

  async #read(hash: Hash, size: number): Promise<Buffer> {
    const bytes = await this.#source.read(size);
    hash.update(bytes);
    return bytes;
  }

  async #padding(hash: Hash, size: number): Promise<void> {
    await this.#read(hash, paddingOf(size));
  }

  async #entry(file: TarFile, hash: Hash): Promise<void> {
    if (this.#beginning === undefined) {
      await this.#begin(file, hash);
    } else {
      const unread = { bytes: file.size };
      await this.#onEntry(file, this.#content(unread, hash));
      for await (const _ of this.#content(unread, hash));
    }
    await this.#padding(hash, file.size);
    this.#note(file.name, hash);
  }

  async *#content(unread: { bytes: number }, hash: Hash): AsyncGenerator<Buffer> {
    while (unread.bytes > 0) {
      const piece = await this.#source.next(unread.bytes);
      hash.update(piece);
      unread.bytes -= piece.length;
      yield piece;
    }
  }

  async #begin(file: TarFile, hash: Hash): Promise<void> {
    if (file.name !== BEGIN || file.size > MAX_BEGINNING_BYTES) throw new TarFault("it does not begin as one");
    const beginning = parse<Beginning>((await this.#read(hash, file.size)).toString());
    const { format, version } = beginning;
    if (!Number.isSafeInteger(format) || typeof version !== "string") throw new TarFault("it does not begin as one");
    if (beginning.format > FORMAT) {
      throw new BackupFault(
        `This backup was written by Backplane ${beginning.version}, which is newer. Use that version, or a later one.`,
      );
    }
    this.#beginning = beginning;
  }

  #note(name: string, hash: Hash): void {
    this.#digests.push({ name, sha256: hash.digest("hex") });
    this.#entries += 1;
    this.#last = name;
  }

  async #list(file: TarFile, hash: Hash): Promise<void> {
    if (file.size > MAX_LIST_BYTES) throw new TarFault("a header is damaged");
    const text = (await this.#read(hash, file.size)).toString();
    await this.#padding(hash, file.size);
    this.#compare(text.split("\n").slice(0, -1));
    this.#note(file.name, hash);
  }

  #compare(lines: readonly string[]): void {
    for (const [at, { name, sha256 }] of this.#digests.entries()) {
      if (lines[at] === JSON.stringify({ name, sha256 }) || this.#damaged.length >= MAX_NAMED) continue;
      this.#damaged.push(name);
    }
    if (lines.length !== this.#digests.length && this.#damaged.length === 0) this.#damaged.push("a list of digests");
    this.#digests = [];
  }

  async #end(file: TarFile, hash: Hash): Promise<Omit<ReadBackup, "bytes">> {
    if (file.size > MAX_LIST_BYTES) throw new TarFault("a header is damaged");
    const text = (await this.#source.read(file.size)).toString("latin1");
    const ownAt = text.lastIndexOf("\n", text.length - 2) + 1;
    const own = hash.update(text.slice(0, ownAt), "latin1").digest("hex");
    if (text.slice(ownAt) !== `${JSON.stringify({ sha256: own })}\n`) throw new TarFault("its last entry is damaged");
    const zeros = await this.#source.read(paddingOf(file.size) + 2 * BLOCK_BYTES);
    if (zeros.some((byte) => byte !== 0) || (await this.#source.hasMore())) throw new TarFault("its end is damaged");
    const lines = Buffer.from(text.slice(0, ownAt), "latin1").toString().split("\n").slice(0, -1);
    const summary = parse<Summary>(lines.pop() ?? "");
    const { moment, migrations, tables } = summary;
    if (typeof moment !== "string" || !Array.isArray(migrations) || typeof tables !== "object")
      throw new TarFault("its last entry is damaged");
    this.#compare(lines);
    if (this.#damaged.length > 0)
      throw new BackupFault(`The backup is damaged: ${this.#damaged.join(", ")}.`, this.#damaged);
    if (this.#beginning === undefined || summary.entries !== this.#entries) throw new TarFault("entries are missing");
    return { beginning: this.#beginning, summary };
  }
}

function parse<T extends object>(text: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (typeof value !== "object" || value === null) throw new TarFault("an entry is not JSON");
  return value as T;
}

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { constants, inflateRaw } from "node:zlib";
import { writeFileAtomically } from "@backplane/kit/atomic-file";
import { limitConcurrency } from "@backplane/kit/concurrency";
import { isRecord, sha256Of } from "../../values.ts";
import type { IndexFile } from "./index-file.ts";
import { bytesIn, COMPRESSED_AT_ONCE, crcFactor, type Piece } from "./pieces.ts";

/*
 * Why this exists: to write and compress packages.json of 10,000 packages takes more time than the rest of a start. So pieces
 * are kept in a file for the next start. A piece is found by its name, which contains a hash of everything that it was written
 * from: whatever changed since, here or by another instance, has another name and is written again.
 */

/** Finds or writes pieces by name. */
export type FindPiece = (name: string, write: () => Piece) => Piece;

export type KeptPieces = Awaited<ReturnType<typeof openKeptPieces>>;

type Options = {
  file: string;
  /** What pieces depend on besides what is hashed in their names, such as the version of the program. */
  writtenBy: string;
  /** Less is not saved. */
  minBytes: number;
};

const SHA256_BYTES = 32;
const LENGTH_BYTES = 4;
const OWNER_ONLY = 0o600;

/** One piece in the file: its name, its checksum, and its length with and without compression. */
type Entry = readonly [name: string, crc: number, compressedBytes: number, bytes: number];

const inflate = promisify<Buffer, { chunkSize: number; finishFlush: number }, Buffer>(inflateRaw);

/** The pieces in this file. If it is missing, damaged, or written by another version of the program, there are none. */
export async function openKeptPieces({ file, writtenBy, minBytes }: Options) {
  let kept = await readPieces(file, writtenBy).catch(() => new Map<string, Piece>());
  const names = new WeakMap<Piece, string>();
  let saved = namesIn(kept.keys());

  return {
    find(name: string, write: () => Piece): Piece {
      const piece = kept.get(name) ?? write();
      names.set(piece, name);
      return piece;
    },
    /** Call when everything was found that is needed: the others would only take memory. */
    forget(): void {
      kept = new Map();
    },
    /** Keeps the pieces of these files, and no others, for the next start. */
    async save(files: readonly IndexFile[]): Promise<void> {
      const pieces = new Map(
        files
          .flatMap((each) => each.pieces)
          .flatMap((piece) => {
            const name = names.get(piece);
            return name === undefined ? [] : [[name, piece] as const];
          }),
      );
      const next = namesIn(pieces.keys());
      if (next === saved || bytesIn([...pieces.values()].map(({ bytes }) => bytes)) < minBytes) return;
      await writePieces(file, writtenBy, pieces);
      saved = next;
    },
  };
}

const namesIn = (names: Iterable<string>): string => sha256Of(Buffer.from([...names].join("\n")));

/** The file is a hash of the rest, the length of the head, the head as JSON, and the compressed pieces. */
async function writePieces(file: string, writtenBy: string, pieces: ReadonlyMap<string, Piece>): Promise<void> {
  const entries: Entry[] = [];
  const streams: Buffer[] = [];
  for (const [name, { bytes, compressed }] of pieces) {
    // Files are compressed before they are served, except those that are too short.
    if (compressed === undefined) continue;
    const { stream, crc } = await compressed;
    entries.push([name, crc, stream.length, bytes.length]);
    streams.push(stream);
  }
  const head = Buffer.from(JSON.stringify({ writtenBy, entries }));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(head.length);
  const rest = [length, head, ...streams];
  await writeFileAtomically(file, Buffer.concat([hashOf(rest), ...rest]), OWNER_ONLY);
}

function hashOf(parts: readonly Buffer[]): Buffer {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

async function readPieces(file: string, writtenBy: string): Promise<Map<string, Piece>> {
  const content = await readFile(file);
  const rest = content.subarray(SHA256_BYTES);
  if (!hashOf([rest]).equals(content.subarray(0, SHA256_BYTES))) return new Map();
  const headBytes = rest.readUInt32LE(0);
  const head: unknown = JSON.parse(rest.toString("utf8", LENGTH_BYTES, LENGTH_BYTES + headBytes));
  if (!isRecord(head) || head.writtenBy !== writtenBy) return new Map();
  let at = LENGTH_BYTES + headBytes;
  const inTurn = limitConcurrency({ atOnce: COMPRESSED_AT_ONCE });
  const pieces = (head.entries as Entry[]).map(([name, crc, compressedBytes, bytes]) => {
    const stream = rest.subarray(at, at + compressedBytes);
    at += compressedBytes;
    return inTurn(async () => {
      // One more than needed, so that zlib gets no second buffer to find that there is no more.
      const chunkSize = Math.max(constants.Z_MIN_CHUNK, bytes + 1);
      const plain = await inflate(stream, { chunkSize, finishFlush: constants.Z_SYNC_FLUSH });
      return [name, { bytes: plain, compressed: Promise.resolve({ stream, crc, factor: crcFactor(bytes) }) }] as const;
    });
  });
  return new Map(await Promise.all(pieces));
}

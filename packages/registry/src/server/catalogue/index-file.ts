import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { sha256Of } from "../../values.ts";
import { bytesIn, gzipPieces, type Piece, pieceOf } from "./pieces.ts";

const brotliAsync = promisify(brotliCompress);

export const INDEX_NAMES = ["packages.json", "resources.zip", "manifests.json"] as const;
export type IndexName = (typeof INDEX_NAMES)[number];

export type Encoding = "identity" | "gzip" | "br";

/** A file and its compressed forms, which are absent if they would not be smaller. Each is a list, because versions of a file share most of it. */
export type IndexFile = {
  readonly name: string;
  readonly sha256: string;
  readonly size: number;
  readonly pieces: readonly Piece[];
  readonly identity: readonly Buffer[];
  gzip?: readonly Buffer[];
  /** Once it was asked for. */
  gzipping?: Promise<readonly Buffer[]>;
  br?: readonly Buffer[];
};

/** Smaller files are sent uncompressed. */
const COMPRESS_FROM_BYTES = 1_024;
const BROTLI_QUALITY = 5;

export const indexFile = (name: string, bytes: Buffer): IndexFile =>
  fileOfPieces(name, [pieceOf(bytes)], sha256Of(bytes));

export const fileOfPieces = (name: string, pieces: readonly Piece[], sha256: string): IndexFile => {
  const identity = pieces.map(({ bytes }) => bytes);
  return { name, sha256, size: bytesIn(identity), pieces, identity };
};

export const isZip = (name: string): boolean => name.endsWith(".zip");

const isWorthIt = ({ name, size }: IndexFile): boolean => !isZip(name) && size >= COMPRESS_FROM_BYTES;

/** Stored with the file if it is worth sending. */
export async function gzipOf(file: IndexFile): Promise<readonly Buffer[]> {
  file.gzipping ??= gzipPieces(file.pieces);
  const bytes = await file.gzipping;
  if (isWorthIt(file)) file.gzip = bytes;
  return bytes;
}

export async function addGzip(file: IndexFile): Promise<void> {
  if (isWorthIt(file)) await gzipOf(file);
}

export async function addBrotli(file: IndexFile): Promise<void> {
  if (file.br || !isWorthIt(file)) return;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: file.size,
  };
  file.br = [await brotliAsync(Buffer.concat(file.identity), { params })];
}

/** Strong: different per encoding; all tags of one file begin with its sha256. */
export const etagOf = (sha256: string, encoding: Encoding): string =>
  encoding === "identity" ? `"${sha256}"` : `"${sha256}-${encoding}"`;

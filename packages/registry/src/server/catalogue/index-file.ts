import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { sha256Of } from "../../values.ts";

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

export const INDEX_NAMES = ["packages.json", "resources.zip", "manifests.json"] as const;
export type IndexName = (typeof INDEX_NAMES)[number];

export type Encoding = "identity" | "gzip" | "br";

/** A file and its compressed forms, which are absent if they would not be smaller. */
export type IndexFile = {
  readonly name: string;
  readonly sha256: string;
  readonly size: number;
  readonly identity: Buffer;
  gzip?: Buffer;
  br?: Buffer;
};

/** Smaller files are sent uncompressed. */
const COMPRESS_FROM_BYTES = 1_024;
/** Computed while a publisher waits: half the time of the default level, for a tenth more bytes. */
const GZIP_LEVEL = 4;
const BROTLI_QUALITY = 5;

export const indexFile = (name: string, bytes: Buffer): IndexFile => ({
  name,
  sha256: sha256Of(bytes),
  size: bytes.length,
  identity: bytes,
});

export const isZip = (name: string): boolean => name.endsWith(".zip");

const isWorthIt = ({ name, size }: IndexFile): boolean => !isZip(name) && size >= COMPRESS_FROM_BYTES;

/** Stored with the file if it is worth sending. */
export async function gzipOf(file: IndexFile): Promise<Buffer> {
  if (file.gzip) return file.gzip;
  const bytes = await gzipAsync(file.identity, { level: GZIP_LEVEL });
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
  file.br = await brotliAsync(file.identity, { params });
}

/** Strong: different per encoding; all tags of one file begin with its sha256. */
export const etagOf = (sha256: string, encoding: Encoding): string =>
  encoding === "identity" ? `"${sha256}"` : `"${sha256}-${encoding}"`;

import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "rolldown";

const [compressBrotli, compressPlain] = [promisify(brotliCompress), promisify(gzip)];

const COMPRESSIBLE = /\.(js|css|svg|txt|wasm)$/;

/** What is larger is compressed less: the best of a library of some MB would take half a minute. */
const LARGE_BYTES = 2_000_000;
/** 8 % more than the best, in a thirtieth of the time: the first start waits for it. */
const QUICK = 6;
const BEST = 11;

/** Writes a .br and a .gz file next to each asset, so that the server need not compress it for every browser. */
export function precompress(): Plugin {
  return {
    name: "precompress",
    writeBundle: ({ dir = "" }) => compressAssets(dir, QUICK),
  };
}

/** On all cores. */
export async function compressAssets(folder: string, quality = BEST): Promise<void> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => COMPRESSIBLE.test(file));
  await Promise.all(files.map((file) => compress(join(folder, file), quality)));
}

async function compress(path: string, quality: number): Promise<void> {
  const source = await readFile(path);
  const isLarge = source.length > LARGE_BYTES;
  const params = { [constants.BROTLI_PARAM_QUALITY]: isLarge ? QUICK : quality };
  await Promise.all([
    compressBrotli(source, { params }).then((bytes) => writeFile(`${path}.br`, bytes)),
    compressPlain(source, { level: isLarge ? 6 : 9 }).then((bytes) => writeFile(`${path}.gz`, bytes)),
  ]);
}

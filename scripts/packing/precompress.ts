import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "rolldown";

const [compressBest, compressPlain] = [promisify(brotliCompress), promisify(gzip)];

const COMPRESSIBLE = /\.(js|css|svg|txt|wasm)$/;

/** What is larger is compressed less: the best of a library of some MB would take half a minute. */
const LARGE_BYTES = 2_000_000;
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

/** Writes a .br and a .gz file next to each asset, so that the server need not compress it for every browser. On all cores. */
export function precompress(): Plugin {
  return {
    name: "precompress",
    async writeBundle({ dir = "" }) {
      const files = readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((file) => COMPRESSIBLE.test(file));
      await Promise.all(files.map((file) => compress(join(dir, file))));
    },
  };
}

async function compress(path: string): Promise<void> {
  const source = await readFile(path);
  const isLarge = source.length > LARGE_BYTES;
  await Promise.all([
    compressBest(source, isLarge ? QUICK : {}).then((bytes) => writeFile(`${path}.br`, bytes)),
    compressPlain(source, { level: isLarge ? 6 : 9 }).then((bytes) => writeFile(`${path}.gz`, bytes)),
  ]);
}

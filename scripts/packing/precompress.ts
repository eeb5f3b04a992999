import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "rolldown";

const COMPRESSIBLE = /\.(js|css|svg|txt|wasm)$/;

/** What is larger is compressed less: the best of a library of some MB would take half a minute. */
const LARGE_BYTES = 2_000_000;
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

/** Writes a .br and a .gz file next to each asset that gets smaller by it, so that the server need not compress it for every browser. */
export function precompress(): Plugin {
  return {
    name: "precompress",
    writeBundle({ dir = "" }) {
      for (const file of readdirSync(dir, { recursive: true, encoding: "utf8" })) {
        if (!COMPRESSIBLE.test(file)) continue;
        const path = join(dir, file);
        const source = readFileSync(path);
        const isLarge = source.length > LARGE_BYTES;
        writeFileSync(`${path}.br`, brotliCompressSync(source, isLarge ? QUICK : {}));
        writeFileSync(`${path}.gz`, gzipSync(source, { level: isLarge ? 6 : 9 }));
      }
    },
  };
}

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Plugin } from "rolldown";

const COMPRESSIBLE = /\.(js|css|svg|txt)$/;

/** Writes a .br and a .gz file next to each text asset, so that the server need not compress it for every browser. */
export function precompress(): Plugin {
  return {
    name: "precompress",
    writeBundle({ dir = "" }) {
      for (const file of readdirSync(dir, { recursive: true, encoding: "utf8" })) {
        if (!COMPRESSIBLE.test(file)) continue;
        const path = join(dir, file);
        const source = readFileSync(path);
        writeFileSync(`${path}.br`, brotliCompressSync(source));
        writeFileSync(`${path}.gz`, gzipSync(source, { level: 9 }));
      }
    },
  };
}

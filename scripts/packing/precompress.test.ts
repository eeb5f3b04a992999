import assert from "node:assert/strict";
import { mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { compressAssets } from "./precompress.ts";

const SOURCE = readFileSync(import.meta.filename, "utf8").repeat(3);

test("assets are compressed beside themselves, in the tarball better than for a start", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "backplane-assets-"));
  const at = (name: string) => join(folder.path, name);
  for (const name of ["page.js", "picture.png"]) writeFileSync(at(name), SOURCE);
  await compressAssets(folder.path, 6);
  const quick = readFileSync(at("page.js.br"));
  assert.equal(brotliDecompressSync(quick).toString(), SOURCE);
  assert.equal(gunzipSync(readFileSync(at("page.js.gz"))).toString(), SOURCE);
  assert.throws(() => readFileSync(at("picture.png.br")), { code: "ENOENT" });
  await compressAssets(folder.path);
  const best = readFileSync(at("page.js.br"));
  assert.equal(brotliDecompressSync(best).toString(), SOURCE);
  assert.ok(best.length < quick.length, `${best.length} < ${quick.length}`);
});

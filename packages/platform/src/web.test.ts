import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { fastify } from "fastify";
import { openWeb } from "./web.ts";

test("assets are sent as they were compressed by the build, and the compressed files have no address", async (t) => {
  const dist = mkdtempSync(join(tmpdir(), "backplane-web-"));
  t.after(() => rmSync(dist, { recursive: true }));
  mkdirSync(join(dist, "assets"));
  const script = "console.log('a');".repeat(500);
  writeFileSync(join(dist, "index.html"), "<!doctype html>");
  writeFileSync(join(dist, "assets/app.js"), script);
  writeFileSync(join(dist, "assets/app.js.br"), brotliCompressSync(script));
  const app = fastify();
  t.after(() => app.close());
  await openWeb(dist).addRoutes(app);

  const packed = await app.inject({ url: "/assets/app.js", headers: { "accept-encoding": "gzip, br" } });
  assert.equal(packed.headers["content-encoding"], "br");
  assert.match(String(packed.headers["content-type"]), /javascript/);
  assert.match(String(packed.headers["cache-control"]), /immutable/);
  assert.equal(brotliDecompressSync(packed.rawPayload).toString(), script);

  const plain = await app.inject({ url: "/assets/app.js" });
  assert.equal(plain.headers["content-encoding"], undefined);
  assert.equal(plain.body, script);
  assert.equal((await app.inject({ url: "/assets/app.js.br" })).statusCode, 404);
});

import assert from "node:assert/strict";
import { once } from "node:events";
import { Readable } from "node:stream";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { SiteFault } from "./faults.ts";
import { boundBytes } from "./page-text.ts";

test("very many tiny pieces of a site's answer arrive whole, in few pieces", async () => {
  const bytes = 20_000;
  const sent = Readable.from(Array.from({ length: bytes }, (_, n) => Buffer.from([n % 256])));
  const pieces: Buffer[] = [];
  const bounded = sent.pipe(boundBytes(bytes, "too-large")).on("data", (piece: Buffer) => pieces.push(piece));
  await once(bounded, "end");
  assert.deepEqual(Buffer.concat(pieces), Buffer.from(Array.from({ length: bytes }, (_, n) => n % 256)));
  assert.ok(pieces.length < bytes / 50, `${pieces.length} pieces`);
});

test("a tiny piece arrives before the next one is sent", async () => {
  const bounded = boundBytes(100, "too-large");
  for (const word of ["one", "two"]) {
    bounded.write(word);
    assert.equal(String((await once(bounded, "data"))[0]), word);
  }
});

test("tiny pieces that nobody reads do not pile up, however slowly they come", async () => {
  const bounded = boundBytes(Number.POSITIVE_INFINITY, "too-large");
  let bytes = 0;
  for (; bytes < 1_000_000 && !bounded.writableNeedDrain; bytes += 200) {
    bounded.write(Buffer.alloc(200));
    await setImmediate();
  }
  assert.ok(bytes < 2 * bounded.readableHighWaterMark, `${bytes} bytes`);
  bounded.end();
  const pieces: Buffer[] = await Array.fromAsync(bounded);
  assert.equal(Buffer.concat(pieces).length, bytes);
});

test("one byte too many fails", async () => {
  const bounded = boundBytes(2, "too-large");
  const failed = once(bounded, "error");
  bounded.write("one");
  assert.ok((await failed)[0] instanceof SiteFault);
});

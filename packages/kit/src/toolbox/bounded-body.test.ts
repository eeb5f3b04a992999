import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { readBytes, readText } from "./bounded-body.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("a body that fits is read whole, from a response as from a stream of Node", async () => {
  assert.equal(await readText(new Response("häuschen").body, 9), "häuschen");
  assert.deepEqual(await readBytes(Readable.from([bytes("ab"), bytes("c")]), 3), bytes("abc"));
  assert.equal(await readText(new Response(null).body, 0), "");
  assert.equal(await readText(undefined, 0), "");
});

test("a character that is split between two chunks is not damaged", async () => {
  const [first, second] = [bytes("ä").slice(0, 1), bytes("ä").slice(1)];
  assert.equal(await readText(Readable.from([first, second]), 2), "ä");
});

test("tiny pieces cost their bytes, not an object each", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const used = () => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const pieces = 200_000;
  let held = 0;
  async function* body() {
    const before = used();
    for (let n = 0; n < pieces; n += 1) yield bytes("x");
    held = used() - before;
  }
  assert.equal((await readBytes(body(), pieces))?.length, pieces);
  assert.ok(held < 20 * pieces, `${held} bytes`);
});

test("a larger body is not read to its end", async () => {
  let sent = 0;
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1;
      controller.enqueue(bytes("0123456789"));
    },
    cancel() {
      isCancelled = true;
    },
  });
  assert.equal(await readBytes(endless, 25), undefined);
  assert.ok(sent <= 5, `${sent} chunks`);
  assert.equal(isCancelled, true);
});

test("an error while reading is passed on", async () => {
  const failing = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.error(new Error("connection lost"));
    },
  });
  await assert.rejects(readBytes(failing, 10), /connection lost/);
});

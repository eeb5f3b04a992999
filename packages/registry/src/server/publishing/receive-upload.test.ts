import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import { assertSameBytes } from "../../../../../scripts/testing/same-bytes.ts";
import { receiveUpload } from "./receive-upload.ts";

async function freshFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "uploads-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test("an upload is on disk as it was sent, with its hash, until it is disposed", async (t) => {
  const folder = await freshFolder(t);
  const pieces = Array.from({ length: 20 }, (_, n) => randomBytes(n * 1_000 + 1));
  const bytes = Buffer.concat(pieces);
  const upload = await receiveUpload(Readable.from(pieces), folder, bytes.length);
  assert.ok(typeof upload === "object");
  assertSameBytes(await readFile(upload.file), bytes);
  assert.deepEqual([upload.size, upload.sha256], [bytes.length, createHash("sha256").update(bytes).digest("hex")]);
  await upload[Symbol.asyncDispose]();
  assert.deepEqual(await readdir(folder), []);
});

test("one byte over the limit is too large: nothing is left, and the rest of the body can still be read", async (t) => {
  const folder = await freshFolder(t);
  const body = Readable.from([Buffer.alloc(10), Buffer.alloc(1), Buffer.alloc(9)]);
  assert.equal(await receiveUpload(body, folder, 10), "too-large");
  assert.equal(body.destroyed, false);
  await once(body.resume(), "end");
  assert.deepEqual(await readdir(folder), []);
});

test("an interrupted upload leaves nothing", async (t) => {
  const folder = await freshFolder(t);
  async function* half() {
    yield Buffer.alloc(10);
    throw new Error("aborted");
  }
  assert.equal(await receiveUpload(Readable.from(half()), folder, 100), "cut-off");
  assert.deepEqual(await readdir(folder), []);
});

test("a full disk is our fault, not the sender's", async () => {
  await assert.rejects(receiveUpload(Readable.from([Buffer.alloc(1)]), "/no/such/folder", 100), { code: "ENOENT" });
});

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import type { BlobRange, BlobStore } from "./blob-store.ts";

export type OpenTestStore = (t: TestContext) => Promise<BlobStore>;

export async function bytesOf(store: BlobStore, key: string, range?: BlobRange): Promise<Buffer | undefined> {
  const found = await store.read(key, range);
  return found && buffer(found.stream);
}

export async function keysOf(store: BlobStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys.sort();
}

export async function fileOf(t: TestContext, bytes: Uint8Array): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "blob-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "file"), bytes);
  return join(folder, "file");
}

/** The laws of every blob store. */
export function blobStoreLaws(kind: string, open: OpenTestStore): void {
  test(`${kind}: a blob is read byte for byte as it was put, and replaced by the next put`, async (t) => {
    const store = await open(t);
    const large = randomBytes(3 * 1024 * 1024 + 17);
    await store.putFile("archives/a/1.zip", await fileOf(t, large));
    await store.put("archives/a/2.zip", Buffer.from("two"));
    await store.put("empty", new Uint8Array());
    assert.deepEqual(await bytesOf(store, "archives/a/1.zip"), large);
    assert.equal((await bytesOf(store, "archives/a/2.zip"))?.toString(), "two");
    assert.equal((await bytesOf(store, "empty"))?.length, 0);
    await store.put("archives/a/1.zip", Buffer.from("one"));
    assert.equal((await bytesOf(store, "archives/a/1.zip"))?.toString(), "one");
  });

  test(`${kind}: pieces become one blob, in their order, however many there are`, async (t) => {
    const store = await open(t);
    const pieces = Array.from({ length: 3_000 }, (_, at) => Buffer.from(`piece ${at} `));
    await store.put("pieces", pieces);
    assert.deepEqual(await bytesOf(store, "pieces"), Buffer.concat(pieces));
    await store.put("none", []);
    assert.equal((await bytesOf(store, "none"))?.length, 0);
  });

  test(`${kind}: a file that was put may be removed at once`, async (t) => {
    const store = await open(t);
    const file = await fileOf(t, Buffer.from("bytes"));
    await store.putFile("archives/a.zip", file);
    await rm(file);
    assert.equal((await bytesOf(store, "archives/a.zip"))?.toString(), "bytes");
  });

  test(`${kind}: a range gives its bytes and the total size; one past the end is refused`, async (t) => {
    const store = await open(t);
    await store.put("a", Buffer.from("0123456789"));
    const middle = await store.read("a", { start: 2, end: 4 });
    assert.equal(middle?.size, 10);
    assert.equal(middle && (await buffer(middle.stream)).toString(), "234");
    assert.equal((await bytesOf(store, "a", { start: 7, end: 900 }))?.toString(), "789");
    assert.equal((await bytesOf(store, "a", { start: 0, end: 0 }))?.toString(), "0");
    for (const range of [
      { start: 10, end: 10 },
      { start: 5, end: 4 },
      { start: -1, end: 4 },
    ]) {
      await assert.rejects(store.read("a", range), { code: "range-not-satisfiable" });
    }
  });

  test(`${kind}: a missing blob is undefined, and removing it twice is fine`, async (t) => {
    const store = await open(t);
    assert.equal(await store.read("archives/none"), undefined);
    await store.put("archives/some", Buffer.from("x"));
    await store.remove("archives/some");
    await store.remove("archives/some");
    assert.equal(await store.read("archives/some"), undefined);
    assert.equal(await store.read("archives"), undefined);
  });

  test(`${kind}: a listing has every blob below its prefix, with size and time, over all its pages`, async (t) => {
    const store = await open(t);
    const keys = Array.from({ length: 11 }, (_, n) => `archives/pkg-${n % 3}/${n}.zip`);
    for (const key of [...keys, "archives2", "indexes/x"]) await store.put(key, Buffer.from(key));
    assert.deepEqual(await keysOf(store, "archives/"), keys.toSorted());
    assert.deepEqual(await keysOf(store, "archives/pkg-1/"), keys.filter((key) => key.includes("pkg-1")).toSorted());
    assert.deepEqual(await keysOf(store, "arch"), [...keys, "archives2"].toSorted());
    assert.equal((await keysOf(store, "")).length, 13);
    assert.deepEqual(await keysOf(store, "none/"), []);
    for await (const { key, size, modifiedMs } of store.list("indexes/")) {
      assert.equal(size, key.length);
      assert.ok(Math.abs(Date.now() - modifiedMs) < 60_000, String(modifiedMs));
    }
  });

  test(`${kind}: after concurrent puts of one key, one complete blob remains`, async (t) => {
    const store = await open(t);
    const blobs = Array.from({ length: 8 }, () => randomBytes(300_000));
    const files = await Promise.all(blobs.map((bytes) => fileOf(t, bytes)));
    await Promise.all(files.map((file) => store.putFile("archives/one", file)));
    const kept = await bytesOf(store, "archives/one");
    assert.ok(blobs.some((bytes) => kept && sha256(bytes) === sha256(kept)));
    assert.deepEqual(await keysOf(store, ""), ["archives/one"]);
  });

  test(`${kind}: an invalid key is refused before anything happens`, async (t) => {
    const store = await open(t);
    for (const key of [
      "",
      "/a",
      "a/",
      "a//b",
      "..",
      "a/../b",
      "a/..",
      ".a",
      "a/.b",
      "a\\b",
      "a b",
      "ä",
      "x".repeat(401),
    ]) {
      await assert.rejects(store.put(key, Buffer.from("x")), TypeError, key);
      await assert.rejects(store.putFile(key, "/dev/null"), TypeError, key);
      await assert.rejects(store.read(key), TypeError, key);
      await assert.rejects(store.remove(key), TypeError, key);
    }
    for (const prefix of ["../", "/", "a/../", ".incoming/"])
      assert.throws(() => store.list(prefix), TypeError, prefix);
    assert.deepEqual(await keysOf(store, ""), []);
  });

  test(`${kind}: a stream that is abandoned ends, and the store keeps working`, async (t) => {
    const store = await open(t);
    await store.put("a", randomBytes(2_000_000));
    for (let round = 0; round < 20; round += 1) {
      const found = await store.read("a");
      found?.stream.destroy();
    }
    assert.equal((await bytesOf(store, "a"))?.length, 2_000_000);
    await store.ping();
  });
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

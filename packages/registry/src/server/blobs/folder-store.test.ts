import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { blobStoreLaws, bytesOf, keysOf } from "./blob-store.suite.ts";
import { openFolderStore } from "./folder-store.ts";

async function freshFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "blobs-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

blobStoreLaws("folder", async (t) => openFolderStore(await freshFolder(t)));

test("a put that cannot be finished leaves the previous blob, and no temporary file", async (t) => {
  const folder = await freshFolder(t);
  const store = await openFolderStore(folder);
  await store.put("archives/a", Buffer.from("before"));
  await assert.rejects(store.putFile("archives/a", join(folder, "no-such-file")), { code: "disk-unavailable" });
  // There is a folder in place of the blob: writing works, the last step does not.
  await assert.rejects(store.put("archives", Buffer.from("x")), { code: "archives-unavailable" });
  assert.equal((await bytesOf(store, "archives/a"))?.toString(), "before");
  assert.deepEqual(await readdir(join(folder, ".incoming")), []);
});

test("a temporary file of a killed process is not a blob, and is removed when it is old", async (t) => {
  const folder = await freshFolder(t);
  await openFolderStore(folder);
  await writeFile(join(folder, ".incoming", "half"), "half a bl");
  await writeFile(join(folder, ".incoming", "old"), "half a bl");
  await utimes(join(folder, ".incoming", "old"), 1, 1);
  const store = await openFolderStore(folder);
  assert.deepEqual(await keysOf(store, ""), []);
  assert.deepEqual(await readdir(join(folder, ".incoming")), ["half"]);
});

test("a missing folder is an outage, not an empty store", async (t) => {
  const folder = await freshFolder(t);
  const store = await openFolderStore(folder);
  await store.ping();
  await rm(folder, { recursive: true });
  await assert.rejects(store.ping(), { code: "disk-unavailable" });
});

test("blobs are readable by their owner only", async (t) => {
  const folder = await freshFolder(t);
  const store = await openFolderStore(folder);
  await store.put("a/b", Buffer.from("x"));
  assert.equal((await stat(join(folder, "a"))).mode & 0o777, 0o700);
  assert.equal((await stat(join(folder, "a/b"))).mode & 0o777, 0o600);
});

import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isRefusal } from "../refusal.ts";
import { openSource } from "./publish.ts";

const METADATA = { identifier: "org.example.a", versions: [{ version: "1.0" }] };

test("a folder is packed and sent; a file is sent unchanged", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "source-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const source = join(folder, "router");
  mkdirSync(join(source, "plugins"), { recursive: true });
  writeFileSync(join(source, "metadata.json"), JSON.stringify(METADATA));
  writeFileSync(join(source, "plugins/a.py"), "print()\n");
  await using packed = await openSource(source);
  assert.ok(!isRefusal(packed));
  assert.equal(packed.file, "router.zip");
  assert.equal((await packed.archive.text()).slice(0, 2), "PK");
  assert.equal(existsSync(join(folder, "router.zip")), false, "nothing is left beside it");

  writeFileSync(join(folder, "any.zip"), "bytes");
  await using file = await openSource(join(folder, "any.zip"));
  assert.ok(!isRefusal(file));
  assert.equal(await file.archive.text(), "bytes");
});

test("an unreadable file is refused with its path; a folder without metadata.json as pack refuses it", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "source-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const none = await openSource(join(folder, "none.zip"));
  assert.ok(isRefusal(none));
  assert.deepEqual([none.code, none.exit], ["bad-file", 2]);
  assert.match(none.message, /none[.]zip cannot be read \(ENOENT\)/);
  const empty = await openSource(folder);
  assert.ok(isRefusal(empty));
  assert.deepEqual([empty.code, empty.exit], ["archive-refused", 6]);
  assert.match(empty.message, /no metadata[.]json .*\nWrite it with: backplane pkg init$/);
});

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { syncFolder, writeFileAtomically } from "./atomic-file.ts";
import { isProcessAlive } from "./process-alive.ts";

function scratchFolder() {
  const path = mkdtempSync(join(tmpdir(), "atomic-file-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

test("writers at the same time leave one whole content and no temporary files", async () => {
  using folder = scratchFolder();
  const file = join(folder.path, "new/folder/file");
  const contents = Array.from({ length: 8 }, (_, number) => String(number).repeat(100_000));
  await Promise.all(contents.map((content) => writeFileAtomically(file, content, 0o600)));
  assert.ok(contents.includes(readFileSync(file, "utf8")));
  assert.deepEqual(readdirSync(join(folder.path, "new/folder")), ["file"]);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  await syncFolder(join(folder.path, "new/folder"));
});

test("content of several pieces is one file, with the mode that was asked for under any umask", async (t) => {
  const umask = process.umask(0o077);
  t.after(() => process.umask(umask));
  using folder = scratchFolder();
  const file = join(folder.path, "file");
  await writeFileAtomically(file, [Buffer.from("one "), Buffer.alloc(0), Buffer.from("file")], 0o644);
  assert.deepEqual([readFileSync(file, "utf8"), statSync(file).mode & 0o777], ["one file", 0o644]);
  await writeFileAtomically(file, "");
  assert.deepEqual([readFileSync(file, "utf8"), statSync(file).mode & 0o777], ["", 0o600]);
});

test("when the file cannot be replaced, the error is passed on and nothing is left behind", async () => {
  using folder = scratchFolder();
  mkdirSync(join(folder.path, "file/inside"), { recursive: true });
  await assert.rejects(writeFileAtomically(join(folder.path, "file"), "content"), { code: "EISDIR" });
  assert.deepEqual(readdirSync(folder.path), ["file"]);
});

test("this process and the first one are alive, a process id that Linux never gives out is not", () => {
  assert.equal(isProcessAlive(process.pid), true);
  assert.equal(isProcessAlive(1), true);
  assert.equal(isProcessAlive(2 ** 22 + 1), false);
});

import assert from "node:assert/strict";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { sha256Of } from "../../values.ts";
import { addGzip, type IndexFile, indexFile } from "../catalogue/index-file.ts";
import { createStaticFiles } from "./static-files.ts";

function emptyFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "static-files-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function indexOf(text: string): Promise<IndexFile[]> {
  const files = [
    indexFile("packages.json", Buffer.from(`${text} `.repeat(100_000))),
    indexFile("manifests.json", Buffer.from(text)),
    indexFile("resources.zip", Buffer.from(`zip of ${text}`)),
  ];
  await Promise.all(files.map(addGzip));
  return files;
}

const pathsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();

const pathsOf = (files: readonly IndexFile[]): string[] =>
  files.flatMap(({ sha256, name, gzip }) => [`${sha256}/${name}`, ...(gzip ? [`${sha256}/${name}.gz`] : [])]).sort();

/** Another instance may have removed it. */
function readIfExists(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, "ENOENT");
    return undefined;
  }
}

/** Whatever a web server finds has the hash that its address names. */
function assertTrue(folder: string): void {
  for (const path of pathsIn(folder).filter((each) => !each.endsWith(".tmp"))) {
    const bytes = readIfExists(join(folder, path));
    if (bytes === undefined) continue;
    assert.equal(sha256Of(path.endsWith(".gz") ? gunzipSync(bytes) : bytes), path.slice(0, 64), path);
  }
}

function staticFiles(folder: string) {
  const faults: Error[] = [];
  return { faults, ...createStaticFiles({ folder, onFault: (error) => faults.push(error as Error) }) };
}

test("the newest index is in the folder, readable by others under any umask, and nothing else of ours", async (t) => {
  const umask = process.umask(0o077);
  t.after(() => process.umask(umask));
  const folder = join(emptyFolder(t), "indexes");
  const { write, faults } = staticFiles(folder);
  const [first, second] = [await indexOf("first"), await indexOf("second")];
  await write(first);
  assert.deepEqual(pathsIn(folder), pathsOf(first));
  assert.equal(pathsOf(first).filter((path) => path.endsWith(".gz")).length, 1);
  assertTrue(folder);
  writeFileSync(join(folder, "of-the-operator"), "");
  await write(second);
  assert.deepEqual(pathsIn(folder), [...pathsOf(second), "of-the-operator"].sort());
  for (const path of ["", second[0]?.sha256 ?? ""]) assert.equal(statSync(join(folder, path)).mode & 0o777, 0o755);
  for (const path of pathsOf(second)) assert.equal(statSync(join(folder, path)).mode & 0o777, 0o644, path);
  assert.deepEqual(faults, []);
});

test("what others keep under hashes in the folder stays, and so does what a link leads to", async (t) => {
  const [folder, elsewhere] = [emptyFolder(t), emptyFolder(t)];
  const { write, faults } = staticFiles(folder);
  const [file, full, link] = ["a", "b", "c"].map((digit) => join(folder, digit.repeat(64))) as [string, string, string];
  writeFileSync(file, "a layer of an image");
  mkdirSync(join(full, "packages.json"), { recursive: true });
  for (const name of ["data", "packages.json.bak", "layer.tar.gz"]) writeFileSync(join(full, name), "");
  writeFileSync(join(elsewhere, "packages.json"), "");
  symlinkSync(elsewhere, link);
  await write(await indexOf("first"));
  await write(await indexOf("second"));
  assert.deepEqual(readdirSync(full).sort(), ["data", "layer.tar.gz", "packages.json", "packages.json.bak"]);
  assert.deepEqual([statSync(file).size, readdirSync(elsewhere)], [19, ["packages.json"]]);
  assert.deepEqual(faults, []);
});

test("a file that is there is not written again; leftovers of killed processes are removed after a while", async (t) => {
  const folder = emptyFolder(t);
  const files = await indexOf("one");
  await staticFiles(folder).write(files);
  const written = pathsOf(files).map((path) => statSync(join(folder, path)).ino);
  const [own = ""] = readdirSync(folder);
  for (const name of ["old.tmp", "new.tmp"]) writeFileSync(join(folder, own, name), "half");
  utimesSync(join(folder, own, "old.tmp"), 1, 1);
  await staticFiles(folder).write(files);
  assert.deepEqual(pathsIn(folder), [...pathsOf(files), `${own}/new.tmp`].sort());
  assert.deepEqual(
    pathsOf(files).map((path) => statSync(join(folder, path)).ino),
    written,
  );
});

test("a folder that cannot be written is reported and tried again at the next time", async (t) => {
  const above = join(emptyFolder(t), "away");
  const folder = join(above, "indexes");
  const { write, close, faults } = staticFiles(folder);
  const files = await indexOf("one");
  await write(files);
  assert.match(faults[0]?.message ?? "", /^INDEXES_FOLDER cannot be written: the platform sends/);
  mkdirSync(above);
  void write(files);
  await close();
  assert.deepEqual([faults.length, pathsIn(folder)], [1, pathsOf(files)]);
  rmSync(folder, { recursive: true });
  await write(files);
  assert.deepEqual([faults.length, pathsIn(folder)], [1, pathsOf(files)]);
});

test("instances that share the folder, one of them behind, never leave a file whose hash is another one", async (t) => {
  const folder = emptyFolder(t);
  const versions = await Promise.all(["a", "b", "c"].map(indexOf));
  const instances = [staticFiles(folder), staticFiles(folder), staticFiles(folder)];
  for (let round = 0; round < 10; round += 1) {
    const writes = instances.map(({ write }, at) => write(versions[(round + at) % versions.length] ?? []));
    assertTrue(folder);
    await Promise.all(writes);
    assertTrue(folder);
  }
  const newest = await indexOf("newest");
  for (const { write } of instances) await write(newest);
  assert.deepEqual(pathsIn(folder), pathsOf(newest));
});

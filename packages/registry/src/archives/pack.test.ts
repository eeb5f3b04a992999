import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { extractArchive } from "./extract.ts";
import { newFolder } from "./folder.suite.ts";
import { packFolder } from "./pack.ts";
import { inspectArchive } from "./read-archive.ts";
import { sampleEntries } from "./samples.suite.ts";

async function sourceOf(t: TestContext, files: Record<string, string | Uint8Array> = {}) {
  const folder = await newFolder(t);
  const source = join(folder, "source");
  const sample = sampleEntries().map(({ path, bytes }): [string, Uint8Array] => [path, bytes]);
  for (const [path, bytes] of [...sample, ...Object.entries(files)]) {
    await mkdir(dirname(join(source, path)), { recursive: true });
    await writeFile(join(source, path), bytes);
  }
  return { folder, source, file: join(folder, "packed.zip") };
}

test("a packed folder is accepted, and extracting it gives the same files", async (t) => {
  const files = {
    "plugins/b/x.py": "x",
    "plugins/\u00e4.txt": "text ".repeat(1_000),
    "3dmodels/large.wrl": randomBytes(9_000_000),
  };
  const { folder, source, file } = await sourceOf(t, files);
  const packed = await packFolder(source, file);
  const inspected = await inspectArchive(file);
  assert.ok("sha256" in packed && "sha256" in inspected, JSON.stringify([packed, inspected]));
  const { sha256, size, archive } = inspected;
  assert.deepEqual(packed, { sha256, size, installSize: archive.installSize });
  await extractArchive(file, join(folder, "out"));
  for (const { path } of archive.files) {
    assert.deepEqual(await readFile(join(folder, "out", path)), await readFile(join(source, path)), path);
  }
  const paths = [
    "3dmodels/large.wrl",
    "plugins/__init__.py",
    "plugins/b/x.py",
    "plugins/\u00e4.txt",
    "resources/icon.png",
  ];
  assert.deepEqual(
    archive.files.map(({ path }) => path),
    paths,
  );
});

test("the same files give the same bytes, whenever they were written and in whatever order", async (t) => {
  const one = await sourceOf(t, { "plugins/a": "a", "plugins/b": "b" });
  const other = await sourceOf(t, { "plugins/b": "b", "plugins/a": "a" });
  await utimes(join(other.source, "plugins/a"), 1_000_000_000, 1_000_000_000);
  const [first, second] = [await packFolder(one.source, one.file), await packFolder(other.source, other.file)];
  assert.deepEqual(second, first);
  assert.deepEqual(await readFile(other.file), await readFile(one.file));
});

test("only metadata.json and the installed folders are packed, without leftovers of operating systems", async (t) => {
  const { source, file } = await sourceOf(t, {
    "README.md": "no",
    "plugins/.DS_Store": "no",
    "plugins/__pycache__/x.pyc": "no",
    "plugins/.config": "yes",
    "src/x.ts": "no",
  });
  await packFolder(source, file);
  const inspected = await inspectArchive(file);
  assert.ok("archive" in inspected);
  const paths = ["plugins/.config", "plugins/__init__.py", "resources/icon.png"];
  assert.deepEqual(
    inspected.archive.files.map(({ path }) => path),
    paths,
  );
});

test("executable files stay executable", { skip: process.platform === "win32" }, async (t) => {
  const { folder, source, file } = await sourceOf(t, { "plugins/run.sh": "#!/bin/sh\n" });
  await chmod(join(source, "plugins/run.sh"), 0o700);
  await packFolder(source, file);
  const extracted = await extractArchive(file, join(folder, "out"));
  assert.ok("files" in extracted);
  const { mode } = await stat(join(folder, "out/plugins/run.sh"));
  assert.equal(mode & 0o777, 0o755);
});

test("what would be refused later is refused now, and an existing file stays unchanged", async (t) => {
  const refusedWith = async (spoil: (source: string) => Promise<unknown>) => {
    const { folder, source, file } = await sourceOf(t);
    await writeFile(file, "before");
    await spoil(source);
    const packed = await packFolder(source, file);
    assert.equal(await readFile(file, "utf8"), "before");
    assert.deepEqual((await readdir(folder)).sort(), ["packed.zip", "source"]);
    return "refusal" in packed ? packed.refusal.reason : "taken";
  };
  assert.equal(await refusedWith((source) => rm(join(source, "metadata.json"))), "metadata-missing");
  const emptied = async (source: string) => {
    await rm(join(source, "plugins"), { recursive: true });
    await rm(join(source, "resources"), { recursive: true });
  };
  assert.equal(await refusedWith(emptied), "nothing-to-install");
  assert.equal(await refusedWith((source) => symlink("/etc", join(source, "plugins/etc"))), "symbolic-link");
  assert.equal(await refusedWith((source) => writeFile(join(source, "resources/icon.png"), "<svg/>")), "icon-refused");
  if (process.platform !== "linux") return;
  assert.equal(await refusedWith((source) => writeFile(join(source, "plugins/a:b"), "")), "bad-name");
  const twins = (source: string) => Promise.all(["a", "A"].map((name) => writeFile(join(source, "plugins", name), "")));
  assert.equal(await refusedWith(twins), "case-collision");
});

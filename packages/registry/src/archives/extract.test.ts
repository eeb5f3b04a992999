import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { type TestContext, test } from "node:test";
import { acceptedArchives } from "./accepted.suite.ts";
import { extractArchive } from "./extract.ts";
import { newFolder } from "./folder.suite.ts";
import { hostileArchives } from "./hostile.suite.ts";
import { goodAnd } from "./raw-zip.suite.ts";
import { inspectArchive } from "./read-archive.ts";
import { SAMPLE_ICON, sampleArchive } from "./samples.suite.ts";
import { UNIX_MODE } from "./zip-records.ts";

/** A folder with an archive, and a target folder that has a file of somebody else. */
async function start(t: TestContext, bytes: Uint8Array) {
  const folder = await newFolder(t);
  const [file, target] = [join(folder, "archive.zip"), join(folder, "target")];
  await writeFile(file, bytes);
  await mkdir(join(target, "plugins"), { recursive: true });
  await writeFile(join(target, "plugins", "mine.txt"), "mine");
  const before = ["archive.zip", "target/plugins/mine.txt"];
  const filesNow = async () => {
    const all = await readdir(folder, { recursive: true, withFileTypes: true });
    const names = all.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
    return names.map((name) => relative(folder, name).replaceAll("\\", "/")).sort();
  };
  return { folder, file, target, before, filesNow };
}

for (const { name, bytes, path, content } of acceptedArchives()) {
  test(`extracted ${name}: the installed folders and nothing else`, async (t) => {
    const { file, target, before, filesNow } = await start(t, bytes);
    const extracted = await extractArchive(file, target);
    const inspected = await inspectArchive(file);
    assert.ok("files" in extracted && "archive" in inspected, JSON.stringify(extracted));
    assert.deepEqual(extracted.files, inspected.archive.files);
    const made = ["target/plugins/__init__.py", `target/${path}`, "target/resources/icon.png"];
    assert.deepEqual(await filesNow(), [...before, ...made].sort());
    assert.equal(await readFile(join(target, path), "utf8"), content);
    assert.deepEqual(await readFile(join(target, "resources/icon.png")), SAMPLE_ICON);
  });
}

for (const { name, bytes, reason } of hostileArchives()) {
  test(`not extracted, as ${reason}: ${name}; nothing is changed`, async (t) => {
    const { folder, file, target, before, filesNow } = await start(t, bytes);
    const extracted = await extractArchive(file, target);
    assert.ok("refusal" in extracted, "it was taken");
    assert.equal(extracted.refusal.reason, reason);
    assert.deepEqual(await filesNow(), before);
    assert.deepEqual(await readdir(target), ["plugins"], "no folder stays either");
    assert.deepEqual((await readdir(folder)).sort(), ["archive.zip", "target"]);
    assert.equal(await readFile(join(target, "plugins", "mine.txt"), "utf8"), "mine");
  });
}

test("a missing target is created, and removed again when the archive is refused", async (t) => {
  const { folder, file } = await start(t, sampleArchive());
  const target = join(folder, "a", "b");
  assert.ok("files" in (await extractArchive(file, target)));
  assert.deepEqual((await readdir(target)).sort(), ["plugins", "resources"]);
  await writeFile(file, goodAnd([{ path: "plugins/x.py", bytes: "x", both: { crc: 1 } }]));
  assert.ok("refusal" in (await extractArchive(file, join(folder, "c"))));
  assert.deepEqual((await readdir(folder)).sort(), ["a", "archive.zip", "target"]);
});

test("files are 0644, programs 0755, whatever the archive says", {
  skip: process.platform === "win32",
}, async (t) => {
  const modes = { "plugins/a": 0o4777, "plugins/b": 0o600, "plugins/c": 0o111, "plugins/d": 0o000 };
  const entries = Object.entries(modes).map(([path, mode]) => ({ path, bytes: "x", mode: UNIX_MODE.file | mode }));
  const { file, target } = await start(t, goodAnd(entries));
  const before = process.umask(0o077);
  t.after(() => process.umask(before));
  assert.ok("files" in (await extractArchive(file, target)));
  const modeOf = async (path: string) => (await stat(join(target, path))).mode & 0o7777;
  assert.deepEqual(await Promise.all(Object.keys(modes).map(modeOf)), [0o755, 0o644, 0o755, 0o644]);
});

test("a file in the way is an error; it stays, and what was written is removed", async (t) => {
  const bytes = sampleArchive({ files: { "plugins/a.py": "a", "plugins/mine.txt": "theirs" } });
  const { file, target, before, filesNow } = await start(t, bytes);
  await assert.rejects(extractArchive(file, target), { code: "EEXIST" });
  assert.deepEqual(await filesNow(), before);
  assert.equal(await readFile(join(target, "plugins", "mine.txt"), "utf8"), "mine");
});

test("nothing is written through a link in the target", async (t) => {
  const { folder, file, target } = await start(t, sampleArchive());
  await mkdir(join(folder, "elsewhere"));
  await symlink(join(folder, "elsewhere"), join(target, "resources"));
  const extracted = await extractArchive(file, target);
  assert.equal("refusal" in extracted && extracted.refusal.reason, "path-outside");
  assert.deepEqual(await readdir(join(folder, "elsewhere")), []);
  assert.deepEqual(await readdir(join(target, "plugins")), ["mine.txt"]);
});

test("each file is reported when it is written, with bytes done and in total", async (t) => {
  const { file, target } = await start(t, sampleArchive({ files: { "plugins/a.py": "aaa", README: "no" } }));
  const told: [string, number, number][] = [];
  await extractArchive(file, target, { onFile: (...progress) => told.push(progress) });
  const total = 3 + SAMPLE_ICON.length;
  assert.deepEqual(told, [
    ["plugins/a.py", 3, total],
    ["resources/icon.png", total, total],
  ]);
});

test("an aborted extraction leaves nothing", async (t) => {
  const { file, target, before, filesNow } = await start(t, sampleArchive());
  const stop = new AbortController();
  const extracting = extractArchive(file, target, {
    signal: stop.signal,
    onFile: () => stop.abort(new Error("enough")),
  });
  await assert.rejects(extracting, /enough/);
  assert.deepEqual(await filesNow(), before);
});

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { extractArchive } from "./extract.ts";
import { newFolder } from "./folder.suite.ts";
import { sampleArchive, sampleEntries } from "./samples.suite.ts";

const hasZip = spawnSync("zip", ["-v"]).status === 0;
const hasUnzip = spawnSync("unzip", ["-v"]).status === 0;
const hasPython = spawnSync("python3", ["--version"]).status === 0;
const hasGit = spawnSync("git", ["--version"]).status === 0;

const SCRIPT = "#!/bin/sh\necho hello\n";

/** The sample in a folder, with an accent, an executable, a compressible file and one that is not installed. */
async function sampleFolder(t: TestContext) {
  const folder = await newFolder(t);
  const source = join(folder, "source");
  const more = { "plugins/sub/run.sh": SCRIPT, "plugins/\u00e4.txt": "text ".repeat(9_000), "README.md": "Hello" };
  const files = Object.entries(more).map(([path, text]) => ({ path, bytes: Buffer.from(text) }));
  for (const { path, bytes } of [...sampleEntries(), ...files]) {
    await mkdir(dirname(join(source, path)), { recursive: true });
    await writeFile(join(source, path), bytes);
  }
  await chmod(join(source, "plugins/sub/run.sh"), 0o755);
  return { folder, source, file: join(folder, "made.zip") };
}

async function isExtracted({ folder, source, file }: { folder: string; source: string; file: string }): Promise<void> {
  const target = join(folder, "target");
  const extracted = await extractArchive(file, target);
  assert.ok("files" in extracted, JSON.stringify(extracted));
  const paths = extracted.files.map(({ path }) => path);
  const right = ["plugins/__init__.py", "plugins/sub/run.sh", "plugins/\u00e4.txt", "resources/icon.png"];
  assert.deepEqual(paths, right);
  for (const path of paths) assert.deepEqual(await readFile(join(target, path)), await readFile(join(source, path)));
  if (process.platform === "win32") return;
  assert.equal((await stat(join(target, "plugins/sub/run.sh"))).mode & 0o777, 0o755);
}

const zipped: [string, string[], Record<string, string>][] = [
  ["as it is", ["-q", "-r", "made.zip", "."], { LC_ALL: "C.UTF-8" }],
  ["without a locale", ["-q", "-r", "made.zip", "."], { LC_ALL: "C" }],
  ["with descriptors", ["-q", "-fd", "-r", "made.zip", "."], { LC_ALL: "C.UTF-8" }],
  ["in zip64", ["-q", "-fz", "-r", "made.zip", "."], { LC_ALL: "C.UTF-8" }],
  ["stored, without folders or extra fields", ["-q", "-0", "-D", "-X", "-r", "made.zip", "."], { LC_ALL: "C.UTF-8" }],
];
for (const [name, options, env] of zipped) {
  test(`archives of Info-ZIP are accepted: ${name}`, { skip: !hasZip }, async (t) => {
    const sample = await sampleFolder(t);
    const told = options.map((option) => (option === "made.zip" ? sample.file : option));
    execFileSync("zip", told, { cwd: sample.source, env: { ...process.env, ...env } });
    await isExtracted(sample);
  });
}

test("archives that Info-ZIP writes to a pipe are accepted", { skip: !hasZip }, async (t) => {
  const sample = await sampleFolder(t);
  await writeFile(sample.file, execFileSync("zip", ["-q", "-r", "-", "."], { cwd: sample.source }));
  await isExtracted(sample);
});

const pythons: [string, string][] = [
  ["a folder", "import shutil; shutil.make_archive(sys.argv[2][:-4], 'zip', sys.argv[1])"],
  [
    "into a stream that cannot go back",
    `class Stream:
  def __init__(self, file): self.file = file
  def write(self, data): return self.file.write(data)
  def flush(self): self.file.flush()
with open(sys.argv[2], "wb") as file, zipfile.ZipFile(Stream(file), "w", zipfile.ZIP_DEFLATED) as made:
  for path in paths: made.write(os.path.join(sys.argv[1], path), path)`,
  ],
  [
    "in zip64",
    `with zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED) as made:
  for path in paths:
    info = zipfile.ZipInfo.from_file(os.path.join(sys.argv[1], path), path)
    info.compress_type = zipfile.ZIP_DEFLATED
    with open(os.path.join(sys.argv[1], path), "rb") as source, made.open(info, "w", force_zip64=True) as entry:
      entry.write(source.read())`,
  ],
];
for (const [name, code] of pythons) {
  test(`archives of Python are accepted: ${name}`, { skip: !hasPython }, async (t) => {
    const sample = await sampleFolder(t);
    const start = `import os, sys, zipfile
paths = [os.path.relpath(os.path.join(at, name), sys.argv[1]) for at, _, names in os.walk(sys.argv[1]) for name in names]
`;
    execFileSync("python3", ["-X", "utf8", "-c", start + code, sample.source, sample.file]);
    await isExtracted(sample);
  });
}

test("archives of git are accepted, with the commit in the comment", { skip: !hasGit }, async (t) => {
  const sample = await sampleFolder(t);
  const git = (...options: string[]) =>
    execFileSync("git", ["-c", "core.autocrlf=false", ...options], { cwd: sample.source });
  git("init", "-q");
  git("add", "-A");
  git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "-m", "First");
  await writeFile(sample.file, git("archive", "--format=zip", "HEAD"));
  await isExtracted(sample);
});

test("archives written here are accepted by other tools", async (t) => {
  const file = join(await newFolder(t), "ours.zip");
  await writeFile(file, sampleArchive({ files: { "plugins/\u00e4.txt": "text ".repeat(1_000) } }));
  if (hasUnzip) assert.match(execFileSync("unzip", ["-t", file], { encoding: "utf8" }), /No errors/);
  if (hasPython)
    assert.match(execFileSync("python3", ["-m", "zipfile", "-t", file], { encoding: "utf8" }), /Done testing/);
});

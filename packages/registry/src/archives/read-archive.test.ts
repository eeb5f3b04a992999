import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { ARCHIVE_REASONS, type ArchiveLimits } from "@backplane/contract/registry";
import { acceptedArchives } from "./accepted.suite.ts";
import { newFolder } from "./folder.suite.ts";
import { hostileArchives } from "./hostile.suite.ts";
import { goodAnd, type RawEntry } from "./raw-zip.suite.ts";
import { inspectArchive, inspectBytes } from "./read-archive.ts";
import { SAMPLE_ICON, sampleArchive, sampleMetadata } from "./samples.suite.ts";

test("a good archive gives metadata, installed files with size and hash, icon, and its own hash", async (t) => {
  const file = join(await newFolder(t), "good.zip");
  const bytes = sampleArchive({ files: { "plugins/b/main.py": "print(2)\n", "plugins/a.py": "", "README.md": "Hi" } });
  await writeFile(file, bytes);
  const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex");
  const inspected = await inspectArchive(file);
  assert.ok("archive" in inspected, JSON.stringify(inspected));
  const { archive, ...whole } = inspected;
  assert.deepEqual(whole, { sha256: sha256(bytes), size: bytes.length });
  assert.deepEqual(JSON.parse(archive.metadata), sampleMetadata());
  assert.deepEqual(archive.files, [
    { path: "plugins/a.py", size: 0, sha256: sha256("") },
    { path: "plugins/b/main.py", size: 9, sha256: sha256("print(2)\n") },
    { path: "resources/icon.png", size: SAMPLE_ICON.length, sha256: sha256(SAMPLE_ICON) },
  ]);
  assert.equal(archive.installSize, 9 + SAMPLE_ICON.length);
  assert.deepEqual(archive.icon && Buffer.from(archive.icon), SAMPLE_ICON);
});

for (const { name, bytes, path, content } of acceptedArchives()) {
  test(`accepted ${name}`, async (t) => {
    const file = join(await newFolder(t), "good.zip");
    await writeFile(file, bytes);
    const inspected = await inspectArchive(file);
    assert.deepEqual(await inspectArchive(file, { heldBytes: 0 }), inspected, "the same from disk");
    assert.deepEqual(await inspectBytes(bytes), inspected, "the same from memory");
    assert.ok("archive" in inspected, JSON.stringify(inspected));
    const paths = ["plugins/__init__.py", path, "resources/icon.png"];
    assert.deepEqual(
      inspected.archive.files.map((known) => known.path),
      paths,
    );
    assert.equal(inspected.archive.files[1]?.sha256, createHash("sha256").update(content).digest("hex"));
  });
}

for (const { name, bytes, reason } of hostileArchives()) {
  test(`refused as ${reason}: ${name}`, async (t) => {
    const file = join(await newFolder(t), "hostile.zip");
    await writeFile(file, bytes);
    const inspected = await inspectArchive(file);
    assert.deepEqual(await inspectArchive(file, { heldBytes: 0 }), inspected, "the same from disk");
    assert.deepEqual(await inspectBytes(bytes), inspected, "the same from memory");
    assert.ok("refusal" in inspected, "it was taken");
    assert.equal(inspected.refusal.reason, reason, inspected.refusal.message);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not occur
    assert.doesNotMatch(JSON.stringify(inspected.refusal), /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]|\\u00/);
  });
}

test("there is a hostile archive for every reason except the total size", () => {
  const reasons = new Set(hostileArchives().map(({ reason }) => reason));
  assert.deepEqual(
    ARCHIVE_REASONS.filter((reason) => !reasons.has(reason)),
    ["too-large"],
  );
});

test("limits can be lowered: total size, unpacked size, number of entries, ratio", async (t) => {
  const file = join(await newFolder(t), "good.zip");
  await writeFile(file, sampleArchive({ files: { "plugins/a/b/long-enough.txt": "a".repeat(1_100_000) } }));
  const reasonWith = async (limits: Partial<ArchiveLimits>) => {
    const inspected = await inspectArchive(file, { limits: { maxRatio: 2_000, ...limits } });
    return "refusal" in inspected ? inspected.refusal.reason : "taken";
  };
  assert.equal(await reasonWith({}), "taken");
  assert.equal(await reasonWith({ maxBytes: 1_000 }), "too-large");
  assert.equal(await reasonWith({ maxEntries: 2 }), "too-many-entries");
  assert.equal(await reasonWith({ maxUnpackedBytes: 1_100_000 }), "too-large-unpacked");
  assert.equal(await reasonWith({ maxRatio: 500 }), "suspicious-ratio");
  assert.equal(await reasonWith({ maxPathCharacters: 20 }), "path-too-long");
  assert.equal(await reasonWith({ maxPathDepth: 3 }), "path-too-deep");
  assert.equal(await reasonWith({ maxMetadataBytes: 10 }), "metadata-too-large");
  assert.equal(await reasonWith({ maxIconBytes: 10 }), "icon-refused");
});

test("large files are read piece by piece, in memory and from disk, with the same checks", async (t) => {
  const file = join(await newFolder(t), "large.zip");
  const large = Buffer.alloc(3_000_000, "the quick brown fox; ");
  const noise = randomBytes(5_000_000);
  const entries = [
    { path: "plugins/large.txt", bytes: large },
    { path: "plugins/noise.bin", bytes: noise, store: true },
  ];
  const limits = { maxRatio: 2_000 };
  const reasonOf = async (first: Partial<RawEntry>, second: Partial<RawEntry> = {}) => {
    await writeFile(file, goodAnd(entries.map((entry, index) => ({ ...entry, ...(index === 0 ? first : second) }))));
    const [held, onDisk] = [
      await inspectArchive(file, { limits, heldBytes: 1e9 }),
      await inspectArchive(file, { limits }),
    ];
    assert.deepEqual(onDisk, held);
    return "refusal" in held ? held.refusal.reason : held.archive.files[1]?.sha256;
  };
  assert.equal(await reasonOf({}), createHash("sha256").update(large).digest("hex"));
  assert.equal(await reasonOf({ both: { crc: 1 } }), "checksum-mismatch");
  assert.equal(await reasonOf({}, { both: { crc: 1 } }), "checksum-mismatch");
  assert.equal(await reasonOf({ both: { size: large.length - 1 } }), "size-mismatch");
  assert.equal(await reasonOf({ both: { size: large.length + 1 } }), "size-mismatch");
  const packed = deflateRawSync(large);
  assert.equal(await reasonOf({ data: Buffer.concat([packed, Buffer.alloc(10)]) }), "trailing-data");
  assert.equal(await reasonOf({ data: packed.subarray(0, -10) }), "size-mismatch");
  assert.equal(await reasonOf({ data: Buffer.alloc(packed.length, 0xff) }), "checksum-mismatch");
  assert.equal(await reasonOf({ data: deflateRawSync(Buffer.alloc(100_000_000)) }), "size-mismatch");
});

test("a byte order mark is not part of the metadata", async (t) => {
  const file = join(await newFolder(t), "good.zip");
  await writeFile(file, sampleArchive({ files: { "metadata.json": "\ufeff{}", "plugins/x.py": "" } }));
  const inspected = await inspectArchive(file);
  assert.equal("archive" in inspected && inspected.archive.metadata, "{}");
});

test("an aborted inspection ends with the signal's reason", async (t) => {
  const file = join(await newFolder(t), "good.zip");
  await writeFile(file, sampleArchive());
  await assert.rejects(inspectArchive(file, { signal: AbortSignal.abort(new Error("enough")) }), /enough/);
});

test("a missing file is an error, not a refusal", async (t) => {
  await assert.rejects(inspectArchive(join(await newFolder(t), "none.zip")), { code: "ENOENT" });
});

test("archives that are read into the same memory one after the other keep what they held", async (t) => {
  const folder = await newFolder(t);
  const scratch = Buffer.alloc(64 * 1024);
  const [one, two] = [join(folder, "one.zip"), join(folder, "two.zip")];
  await writeFile(one, sampleArchive({ identifier: "org.example.one", store: true }));
  await writeFile(two, sampleArchive({ identifier: "org.example.two", store: true }));
  const alone = await inspectArchive(one);
  const first = await inspectArchive(one, { scratch });
  assert.ok(scratch.includes("org.example.one"));
  await inspectArchive(two, { scratch });
  assert.ok(scratch.includes("org.example.two"));
  assert.deepEqual(first, alone);
});

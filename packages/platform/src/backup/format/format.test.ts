import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { someOf } from "../../../../../scripts/testing/long.ts";
import { decrypting, encrypting } from "./age.ts";
import type { Sink } from "./block-writer.ts";
import { BEGIN } from "./layout.ts";
import { BackupFault, readBackup } from "./reader.ts";
import { BackupWriter, CutShort } from "./writer.ts";

const LONG_NAME = `projects/@ada/${"long/".repeat(40)}Schaltplan für Ä.txt`;
const QUICK = 2;

function memorySink(): Sink & { written: () => Buffer } {
  const parts: Buffer[] = [];
  return {
    async write(bytes) {
      parts.push(Buffer.from(bytes));
    },
    finish: async () => {},
    abandon: async () => {},
    written: () => Buffer.concat(parts),
  };
}

async function writeSample(sink: Sink): Promise<void> {
  const writer = new BackupWriter(sink, 1_700_000_000);
  const beginning = { format: 1, version: "0", engine: "sqlite", startedAt: "2026-01-01T00:00:00Z" };
  await writer.add({ name: BEGIN }, Buffer.from(JSON.stringify(beginning)));
  await writer.add({ name: "archives/a.zip", mode: 0o640 }, Buffer.from("archive"));
  await writer.add({ name: LONG_NAME }, Buffer.from("text"));
  await writer.add({ name: "projects/empty" }, Buffer.alloc(0));
  await writer.end({ moment: "2026-01-01T00:00:00Z", migrations: [], tables: {} });
  await sink.finish();
}

async function* piecesOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function readAll(source: AsyncIterable<Buffer>) {
  const entries: Record<string, string> = {};
  const read = await readBackup(source, async ({ name }, content) => {
    const parts = await Array.fromAsync(content);
    entries[name] = Buffer.concat(parts).toString();
  });
  return { entries, ...read };
}

const ENTRIES = { "archives/a.zip": "archive", [LONG_NAME]: "text", "projects/empty": "" };

test("what is written is read, in pieces of any size, and by tar", async (t) => {
  const sink = memorySink();
  await writeSample(sink);
  for (const size of [1, 511, 100_000]) {
    const { entries, summary, bytes } = await readAll(piecesOf(sink.written(), size));
    assert.deepEqual(entries, ENTRIES);
    assert.deepEqual([summary.entries, bytes], [4, sink.written().length]);
  }
  const folder = mkdtempSync(join(tmpdir(), "backup-tar-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const tar = spawnSync("tar", ["-x", "-C", folder], { input: sink.written(), encoding: "utf8" });
  assert.deepEqual([tar.status, tar.stderr], [0, ""]);
  for (const [name, text] of Object.entries(ENTRIES)) assert.equal(readFileSync(join(folder, name), "utf8"), text);
});

test("a flipped bit in any byte is found, and so is every truncation, plain and encrypted", async () => {
  const plain = memorySink();
  await writeSample(plain);
  const sealed = memorySink();
  await writeSample(await encrypting(sealed, "correct horse", QUICK));
  const sources = [
    { bytes: plain.written(), read: (bytes: Buffer) => readAll(piecesOf(bytes, 4_096)) },
    { bytes: sealed.written(), read: (bytes: Buffer) => readAll(decrypting(piecesOf(bytes, 4_096), "correct horse")) },
  ];
  for (const { bytes, read } of sources) {
    assert.deepEqual((await read(bytes)).entries, ENTRIES);
    const places = Array.from(bytes.keys());
    for (const at of someOf(places, 29, bytes.length)) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      await assert.rejects(read(changed), BackupFault, `byte ${at}`);
    }
    for (const at of someOf(places, 211))
      await assert.rejects(read(bytes.subarray(0, at)), BackupFault, `cut at ${at}`);
    await assert.rejects(read(Buffer.concat([bytes, Buffer.alloc(1)])), BackupFault, "one byte more");
  }
});

test("the damaged entry is named", async () => {
  const sink = memorySink();
  await writeSample(sink);
  const bytes = sink.written();
  bytes[bytes.indexOf("archive\0")] = 0x41;
  await assert.rejects(readAll(piecesOf(bytes, 4_096)), /^BackupFault: The backup is damaged: archives\/a\.zip\.$/);
});

test("many entries have several lists of digests, and none of them can be changed", async () => {
  const sink = memorySink();
  const writer = new BackupWriter(sink, 0);
  const beginning = { format: 1, version: "0", engine: "sqlite", startedAt: "2026-01-01T00:00:00Z" };
  await writer.add({ name: BEGIN }, Buffer.from(JSON.stringify(beginning)));
  for (let at = 0; at < 4_500; at += 1) await writer.add({ name: `projects/${at}` }, Buffer.from(`${at}`));
  await writer.end({ moment: "", migrations: [], tables: {} });
  const bytes = sink.written();
  const { entries, summary } = await readAll(piecesOf(bytes, 65_536));
  assert.deepEqual([Object.keys(entries).length, summary.entries], [4_500, 4_503]);
  const line = bytes.indexOf('{"name":"projects/17"');
  bytes.write("0".repeat(20), line + 40, "latin1");
  await assert.rejects(readAll(piecesOf(bytes, 65_536)), /damaged: projects\/17, digests\/000001\.ndjson/);
});

test("a file that becomes shorter is reported, and the backup goes on", async () => {
  const sink = memorySink();
  const writer = new BackupWriter(sink, 0);
  const beginning = { format: 1, version: "0", engine: "sqlite", startedAt: "2026-01-01T00:00:00Z" };
  await writer.add({ name: BEGIN }, Buffer.from(JSON.stringify(beginning)));
  await assert.rejects(
    writer.addFrom({ name: "projects/a", size: 9 }, () => 0),
    CutShort,
  );
  await writer.add({ name: "projects/a" }, Buffer.from("new"));
  await writer.end({ moment: "", migrations: [], tables: {} });
  assert.deepEqual((await readAll(piecesOf(sink.written(), 999))).entries, { "projects/a": "new" });
});

test("a backup of a newer format, a wrong passphrase, and other files are refused with a sentence", async () => {
  const sink = memorySink();
  const writer = new BackupWriter(sink, 0);
  await writer.add({ name: BEGIN }, Buffer.from(JSON.stringify({ format: 2, version: "9.1.0" })));
  await writer.end({ moment: "", migrations: [], tables: {} });
  await assert.rejects(readAll(piecesOf(sink.written(), 999)), /Backplane 9\.1\.0, which is newer/);
  await assert.rejects(readAll(piecesOf(Buffer.alloc(2_000, "x"), 999)), /not a backup/);
  await assert.rejects(readAll(piecesOf(Buffer.alloc(0), 999)), /not a backup/);
  const sealed = memorySink();
  await writeSample(await encrypting(sealed, "correct horse", QUICK));
  await assert.rejects(readAll(decrypting(piecesOf(sealed.written(), 999), "wrong")), /passphrase is wrong/);
});

test("chunks end anywhere: what is encrypted in pieces is decrypted", async () => {
  for (const size of [0, 1, 65_535, 65_536, 65_537, 131_072, 300_000]) {
    const bytes = Buffer.alloc(size, "backup ");
    const sink = memorySink();
    const sealing = await encrypting(sink, "p", QUICK);
    for await (const piece of piecesOf(bytes, 70_000)) await sealing.write(piece);
    await sealing.finish();
    const read = await Array.fromAsync(decrypting(piecesOf(sink.written(), 50_000), "p"));
    assert.ok(Buffer.concat(read).equals(bytes), `${size} bytes`);
  }
});

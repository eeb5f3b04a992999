import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { BEGIN, type Summary } from "../format/layout.ts";
import { BackupFault, readBackup } from "../format/reader.ts";
import { headerOf, readBlock, readPax, TarFault } from "../format/tar.ts";
import { BackupWriter, type EntryFacts } from "../format/writer.ts";
import { backupOf, emptyInstallation, fileIn, filesIn, usedInstallation } from "../installation.suite.ts";
import { fileSink, readFile } from "../places/folder-place.ts";
import { sourceOf } from "../taking/run.ts";
import { NotEmpty, restoreBackup } from "./restore.ts";

type Forged = { add?: (EntryFacts & { content: string })[]; beginning?: unknown; summary?: object };

async function genuineBackup(t: TestContext): Promise<string> {
  const { settings } = await usedInstallation(t, async () => ({}));
  const path = join(settings.home, "backups", "b.tar");
  await backupOf(settings, path);
  return path;
}

/** A backup that somebody has changed, with the digests that belong to it. */
async function forge(genuine: string, { add = [], beginning, summary }: Forged): Promise<string> {
  const forged = `${genuine}-${randomUUID()}.tar`;
  const sink = await fileSink(forged);
  const writer = new BackupWriter(sink, 1);
  const entries: [EntryFacts, Buffer][] = [];
  const read = await readBackup(readFile(genuine), async (entry, content) => {
    entries.push([entry, Buffer.concat(await Array.fromAsync(content))]);
  });
  const first = beginning === undefined ? read.beginning : beginning;
  await writer.add({ name: BEGIN }, Buffer.from(JSON.stringify(first)));
  for (const { content, ...facts } of add) await writer.add(facts, Buffer.from(content));
  for (const [facts, content] of entries) await writer.add(facts, content);
  await writer.end({ ...read.summary, ...summary } as Summary);
  await sink.finish();
  return forged;
}

const emptyTarget = (t: TestContext) => emptyInstallation(t, async () => ({}));

test("a forged backup overwrites nothing, also not what a restore does not count as used", async (t) => {
  const path = await forge(await genuineBackup(t), { add: [{ name: "projects/.git/config", content: "evil" }] });
  const target = await emptyTarget(t);
  fileIn(target.projectsFolder, ".git/config", "precious");
  fileIn(target.projectsFolder, ".git/HEAD", "precious");
  const before = filesIn(join(target.home, ".."));
  await assert.rejects(restoreBackup({ settings: target, source: () => readFile(path), fetch }), NotEmpty);
  assert.deepEqual(filesIn(join(target.home, "..")), before);
});

test("a forged backup brings no rows that backups do not have, and an unreadable one is a fault of the backup", async (t) => {
  const genuine = await genuineBackup(t);
  const row = '["id"]\n["x"]\n';
  for (const change of [
    ...["sessions", "password_resets", "migrations", "sqlite_schema", "unknown"].map((table) => ({
      add: [{ name: `tables/${table}/000001.ndjson`, content: row }],
    })),
    { add: [{ name: "tables/users/000001.ndjson", content: '{"length":1}\n["x"]\n' }] },
    { add: [{ name: "tables/users/000001.ndjson", content: '["id"]\n5\n' }] },
    { add: [{ name: "removed.ndjson", content: "x\n" }] },
    { beginning: null },
    { beginning: { format: 1 } },
    { summary: { migrations: "x" } },
    { summary: { moment: 5 } },
  ] satisfies Forged[]) {
    const path = await forge(genuine, change);
    const target = await emptyTarget(t);
    const restoring = restoreBackup({ settings: target, source: () => readFile(path), fetch });
    await assert.rejects(restoring, BackupFault, JSON.stringify(change));
    assert.deepEqual(statSync(target.home, { throwIfNoEntry: false }) ? filesIn(target.home) : {}, {});
  }
});

test("where a passphrase is given, a backup that is not encrypted is refused", async (t) => {
  const path = await genuineBackup(t);
  const settings = await emptyTarget(t);
  const read = (isGiven: boolean) =>
    Array.fromAsync(sourceOf(settings, path, { isGiven, passphrase: async () => "correct horse" })());
  await assert.rejects(read(true), /not encrypted, although a passphrase is given/);
  assert.ok((await read(false)).length > 0);
});

test("no file of a backup gets more than permissions to read, write and run", () => {
  const header = headerOf({ name: "projects/x", size: 0, mode: 0o755, mtimeS: 1 });
  header.write("0004755", 100, "latin1");
  header.fill(" ", 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  assert.equal(readBlock(header).mode, 0o755);
});

test("a size that is not a number of bytes is refused", () => {
  for (const size of ["-5", "Infinity", "NaN", "", "1e3", "0x10", "1.5"]) {
    const record = (length: number): string => `${length} size=${size}\n`;
    const text = Buffer.from(record(record(10).length));
    assert.throws(() => readPax(text), TarFault, size);
  }
});

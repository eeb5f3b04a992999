import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32, deflateRawSync } from "node:zlib";
import { ArchiveFault, listArchive, type ReadRange, readEntry } from "./remote-archive.ts";

type File = { path: string; text: string; isPacked?: boolean; size?: number };

/** A zip archive, as far as its readers look. */
function archiveOf(files: readonly File[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, text, isPacked = true, size } of files) {
    const [name, content] = [Buffer.from(path), Buffer.from(text)];
    const packed = isPacked ? deflateRawSync(content) : content;
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(isPacked ? 8 : 0, 4);
    shared.writeUInt32LE(crc32(content), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(size ?? content.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), shared, name, packed]);
    const place = Buffer.alloc(4);
    place.writeUInt32LE(offset);
    directory.push(Buffer.concat([Buffer.from("PK\u0001\u0002\u0000\u0000"), shared, Buffer.alloc(10), place, name]));
    parts.push(local);
    offset += local.length;
  }
  const all = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006");
  end.writeUInt32LE(all.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, all, end]);
}

function readerOf(archive: Buffer): { read: ReadRange; size: number; bytesRead(): number } {
  let count = 0;
  const read: ReadRange = async (start, end) => {
    count += end - start;
    return new Uint8Array(archive.subarray(start, end));
  };
  return { read, size: archive.length, bytesRead: () => count };
}

test("one file of an archive is read without the others", async () => {
  const large = "a large file of no interest ".repeat(20_000);
  const archive = archiveOf([
    { path: "large.bin", text: large, isPacked: false },
    { path: "symbols/own.kicad_sym", text: "(kicad_symbol_lib)" },
    { path: "plain.txt", text: "stored", isPacked: false },
  ]);
  const { read, size, bytesRead } = readerOf(archive);
  const entries = await listArchive(read, size);
  assert.deepEqual(
    entries.map(({ path }) => path),
    ["large.bin", "symbols/own.kicad_sym", "plain.txt"],
  );
  const texts = [];
  for (const entry of entries.slice(1)) texts.push(new TextDecoder().decode(await readEntry(read, entry)));
  assert.deepEqual(texts, ["(kicad_symbol_lib)", "stored"]);
  assert.ok(bytesRead() < size / 2, `${bytesRead()} of ${size} bytes were read`);
});

test("archives that are cut off, damaged, or unpack to more than they say are refused", async () => {
  const whole = archiveOf([{ path: "a.kicad_sym", text: "x".repeat(10_000) }]);
  const cut = readerOf(whole.subarray(0, whole.length - 30));
  await assert.rejects(listArchive(cut.read, cut.size), ArchiveFault);
  const nothing = readerOf(Buffer.from("not an archive"));
  await assert.rejects(listArchive(nothing.read, nothing.size), ArchiveFault);
  const bomb = readerOf(archiveOf([{ path: "a.kicad_sym", text: "x".repeat(10_000), size: 10 }]));
  const [entry = assert.fail()] = await listArchive(bomb.read, bomb.size);
  await assert.rejects(readEntry(bomb.read, entry), ArchiveFault);
  await assert.rejects(readEntry(bomb.read, { ...entry, size: 1e9 }), /too large/);
  await assert.rejects(readEntry(bomb.read, { ...entry, offset: 5 }), ArchiveFault);
});

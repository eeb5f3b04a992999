import { deflateRawSync } from "node:zlib";
import type { ArchiveReason } from "@backplane/contract/registry";
import { hostileNames } from "./hostile-names.suite.ts";
import { goodAnd, type RawEntry, rawZip, words } from "./raw-zip.suite.ts";
import { sampleArchive, sampleEntries } from "./samples.suite.ts";
import { FLAGS, SIGNATURES, UNIX_MODE } from "./zip-records.ts";
import { zip64End } from "./zip64.suite.ts";

export type HostileArchive = { name: string; bytes: Buffer; reason: ArchiveReason };

const MEBIBYTE = 1024 * 1024;

/** Archives that must not be published, built or installed, and the reason why each is refused. */
export function hostileArchives(): HostileArchive[] {
  const kinds: [ArchiveReason, string, Buffer][] = [
    ...hostileNames().map(([reason, name, entries]): [ArchiveReason, string, Buffer] => [
      reason,
      name,
      goodAnd(entries),
    ]),
    ...framing(),
    ...headers(),
    ...contents(),
  ];
  return kinds.map(([reason, name, bytes]) => ({ name, bytes, reason }));
}

/** What is wrong with the archive as a whole. */
function framing(): [ArchiveReason, string, Buffer][] {
  const good = sampleArchive();
  const inner = sampleArchive({ identifier: "org.example.inner" });
  const patched = (change: (bytes: Buffer) => void) => {
    const bytes = Buffer.from(good);
    change(bytes);
    return bytes;
  };
  const end = good.length - 22;
  return [
    ["not-a-zip", "an empty file", Buffer.alloc(0)],
    ["not-a-zip", "text", Buffer.from("<!doctype html><title>Not found</title>".repeat(40))],
    ["not-a-zip", "bytes before the archive", Buffer.concat([Buffer.from("#!/bin/sh\nexit 0\n"), good])],
    ["not-a-zip", "an archive of several parts", patched((bytes) => bytes.writeUInt16LE(1, end + 4))],
    ["truncated", "cut off in the middle", good.subarray(0, Math.floor(good.length / 2))],
    ["truncated", "cut off in the end record", good.subarray(0, good.length - 7)],
    ["truncated", "a directory said to be further on", patched((bytes) => bytes.writeUInt32LE(good.length, end + 16))],
    ["truncated", "a comment said to be longer", patched((bytes) => bytes.writeUInt16LE(9, end + 20))],
    ["trailing-data", "bytes after the archive", Buffer.concat([good, Buffer.from("more")])],
    ["trailing-data", "a second archive after it", Buffer.concat([good, inner])],
    ["trailing-data", "a second archive in the comment", rawZip(sampleEntries(), { comment: inner })],
    ["trailing-data", "an end record in the comment", rawZip(sampleEntries(), { comment: good.subarray(end) })],
    ["trailing-data", "bytes between two entries", goodAnd([{ path: "plugins/x", before: Buffer.from("hidden") }])],
    ["trailing-data", "bytes before the directory", goodAnd([{ path: "plugins/x", after: Buffer.from("hidden") }])],
    ["trailing-data", "bytes after the directory", rawZip(sampleEntries(), { before: Buffer.from("hidden") })],
    ["trailing-data", "a file that the directory does not list", unlisted(good)],
    ["too-many-entries", "more entries said than may be", rawZip(sampleEntries(), { entries: 60_000 })],
    ["header-mismatch", "more entries said than there are", rawZip(sampleEntries(), { entries: 4 })],
    ["header-mismatch", "fewer entries said than there are", rawZip(sampleEntries(), { entries: 2 })],
    ["header-mismatch", "two ends that disagree", rawZip(sampleEntries(), { before: zip64End({ entries: 2 }) })],
    ["overlapping-entries", "one entry's data used by many", overlapping()],
  ];
}

/** What is wrong with an entry's headers. */
function headers(): [ArchiveReason, string, Buffer][] {
  const entry = (more: Partial<RawEntry>) => goodAnd([{ path: "plugins/x.py", bytes: "print(1)\n", ...more }]);
  const flagged = (flag: number) => entry({ both: { flags: FLAGS.utf8 | flag } });
  return [
    ["symbolic-link", "a symbolic link", entry({ bytes: "/etc/passwd", mode: UNIX_MODE.link | 0o777 })],
    ["special-file", "a device", entry({ mode: 0o020666 })],
    ["special-file", "a named pipe", entry({ mode: 0o010666 })],
    ["special-file", "a socket", entry({ mode: 0o140666 })],
    ["encrypted", "an encrypted entry", flagged(FLAGS.encrypted)],
    ["encrypted", "a strongly encrypted entry", flagged(FLAGS.strongEncryption)],
    ["encrypted", "headers that are encrypted", flagged(FLAGS.maskedHeaders)],
    ["unsupported-compression", "a compression that few can read", entry({ both: { method: 14 } })],
    ["header-mismatch", "another name in the local header", entry({ local: { name: Buffer.from("plugins/y.py") } })],
    ["header-mismatch", "a harmful name in the local header", entry({ local: { name: Buffer.from("../../y.p.y") } })],
    ["header-mismatch", "another size in the local header", entry({ local: { size: 5 } })],
    ["header-mismatch", "another packed size in the local header", entry({ local: { packedSize: 5 } })],
    ["header-mismatch", "another checksum in the local header", entry({ local: { crc: 5 } })],
    ["header-mismatch", "another method in the local header", entry({ local: { method: 0 } })],
    ["header-mismatch", "other flags in the local header", entry({ local: { flags: FLAGS.utf8 | FLAGS.encrypted } })],
    ["header-mismatch", "a data descriptor that disagrees", descriptor(words(SIGNATURES.descriptor, 1, 2, 3))],
    ["header-mismatch", "no local header where one is said to be", withoutLocal()],
    ["overlapping-entries", "an entry that starts inside another", entry({ central: { offset: 1 } })],
  ];
}

/** What is wrong with its contents. */
function contents(): [ArchiveReason, string, Buffer][] {
  const zeros = Buffer.alloc(2 * MEBIBYTE);
  const good = { path: "plugins/x.bin", bytes: "0123456789" };
  const only = (path: string, bytes: string | Uint8Array) =>
    rawZip([...sampleEntries().filter((entry) => entry.path !== path), { path, bytes }]);
  return [
    ["suspicious-ratio", "a bomb that says how large it is", goodAnd([{ path: "plugins/x.bin", bytes: zeros }])],
    ["size-mismatch", "a bomb that does not", goodAnd([{ ...good, data: deflateRawSync(zeros) }])],
    ["size-mismatch", "less than the size it says", goodAnd([{ ...good, both: { size: 11 } }])],
    ["size-mismatch", "a stored entry of two sizes", goodAnd([{ ...good, store: true, both: { size: 11 } }])],
    ["too-large-unpacked", "two gibibytes, it says", goodAnd([{ ...good, both: { size: 2048 * MEBIBYTE } }])],
    ["checksum-mismatch", "a wrong checksum", goodAnd([{ ...good, both: { crc: 5 } }])],
    ["checksum-mismatch", "invalid compressed data", goodAnd([{ ...good, data: Buffer.alloc(9, 0xff) }])],
    ["trailing-data", "bytes after the compressed data", goodAnd([{ ...good, data: hiddenBehind(good.bytes) }])],
    ["size-mismatch", "a folder with contents", goodAnd([{ path: "plugins/x/", bytes: "hidden" }])],
    ["metadata-missing", "no metadata.json", rawZip(sampleEntries().slice(1))],
    ["metadata-missing", "metadata.json only further down", rawZip([{ path: "plugins/metadata.json", bytes: "{}" }])],
    ["metadata-too-large", "metadata.json over a mebibyte", only("metadata.json", " ".repeat(MEBIBYTE + 1))],
    ["metadata-unreadable", "metadata.json in Latin-1", only("metadata.json", Buffer.from('"\xfc"', "latin1"))],
    ["icon-refused", "an icon that is no PNG", only("resources/icon.png", "<svg onload='alert(1)'/>")],
    ["icon-refused", "an icon that is too large", only("resources/icon.png", Buffer.alloc(256 * 1024 + 1, "abc"))],
    ["nothing-to-install", "nothing in the folders that get installed", rawZip(sampleEntries().slice(0, 1))],
  ];
}

/** The last entry's local record stays, but is missing in the directory. */
function unlisted(good: Buffer): Buffer {
  const entries = sampleEntries();
  const all = rawZip(entries);
  const start = all.readUInt32LE(all.length - 6);
  const fewer = rawZip(entries.slice(0, -1));
  const directory = fewer.subarray(fewer.readUInt32LE(fewer.length - 6), fewer.length - 22);
  const end = Buffer.from(good.subarray(-22));
  end.writeUInt16LE(entries.length - 1, 8);
  end.writeUInt16LE(entries.length - 1, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(start, 16);
  return Buffer.concat([all.subarray(0, start), directory, end]);
}

function withoutLocal(): Buffer {
  const bytes = sampleArchive();
  bytes.writeUInt32LE(0, bytes.lastIndexOf("PK\u0003\u0004"));
  return bytes;
}

/** Like David Fifield's zip bomb: entries that quote the next local header and share the same data. */
function overlapping(): Buffer {
  const bytes = Buffer.from("the same for both\n");
  const good = sampleEntries();
  const start = rawZip(good).readUInt32LE(rawZip(good).length - 6);
  return goodAnd([
    { path: "plugins/one.txt", bytes },
    { path: "plugins/two.txt", bytes, central: { name: Buffer.from("plugins/two.txt"), offset: start } },
  ]);
}

const descriptor = (after: Buffer): Buffer =>
  goodAnd([
    {
      path: "plugins/x.py",
      bytes: "print(1)\n",
      both: { flags: FLAGS.utf8 | FLAGS.descriptor },
      local: { crc: 0, size: 0, packedSize: 0 },
      after,
    },
  ]);

const hiddenBehind = (bytes: string): Buffer => Buffer.concat([deflateRawSync(bytes), Buffer.from("hidden")]);

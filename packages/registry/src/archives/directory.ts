import type { ArchiveLimits } from "./archive.ts";
import type { ArchiveBytes } from "./bytes.ts";
import { checkEntry } from "./check-entry.ts";
import { findDirectory } from "./end-record.ts";
import { isWellFormed, unicodeName, withZip64 } from "./extra-fields.ts";
import type { ListedEntry } from "./listed-entry.ts";
import { checkName, createNameTree } from "./names.ts";
import { refuse } from "./refusal.ts";
import { FLAGS, RECORD_BYTES, SIGNATURES } from "./zip-records.ts";

export type Directory = { offset: number; entries: ListedEntry[] };

/** Of entries with the longest paths that may be, and extra fields: this is many more than the most that may be. */
const MAX_DIRECTORY_BYTES = 32 * 1024 * 1024;

/** What an archive says is in it, refused unless all of that is harmless; in the order of the file. */
export async function readDirectory(bytes: ArchiveBytes, limits: ArchiveLimits): Promise<Directory> {
  const place = await findDirectory(bytes);
  if (place.entries > limits.maxEntries || place.size > MAX_DIRECTORY_BYTES) {
    refuse("too-many-entries", `The archive lists ${place.entries} files; ${limits.maxEntries} are allowed. Split it.`);
  }
  const records = await bytes.at(place.offset, place.size);
  const entries: ListedEntry[] = [];
  const addToTree = createNameTree();
  let at = 0;
  let unpackedBytes = 0;
  for (let index = 0; index < place.entries; index++) {
    const { entry, extra, end } = readRecord(records, at);
    at = end;
    checkNames(entry, extra, limits);
    checkEntry(entry, limits);
    addToTree(entry.path);
    unpackedBytes += entry.size;
    if (unpackedBytes > limits.maxUnpackedBytes) {
      refuse("too-large-unpacked", `Unpacked it has more than ${limits.maxUnpackedBytes} bytes. Make it smaller.`);
    }
    entries.push(entry);
  }
  if (at !== records.length) miscounted();
  return { offset: place.offset, entries: entries.sort((a, b) => a.offset - b.offset) };
}

const NOTHING = Buffer.alloc(0);

function readRecord(records: Buffer, at: number): { entry: ListedEntry; extra: Buffer; end: number } {
  const nameAt = at + RECORD_BYTES.central;
  if (nameAt > records.length || records.readUInt32LE(at) !== SIGNATURES.central) miscounted();
  const extraAt = nameAt + records.readUInt16LE(at + 28);
  const commentAt = extraAt + records.readUInt16LE(at + 30);
  const end = commentAt + records.readUInt16LE(at + 32);
  if (end > records.length) miscounted();
  const name = records.subarray(nameAt, extraAt);
  const extra = extraAt === commentAt ? NOTHING : records.subarray(extraAt, commentAt);
  const path = records.toString("utf8", nameAt, extraAt);
  const said = {
    packedSize: records.readUInt32LE(at + 20),
    size: records.readUInt32LE(at + 24),
    offset: records.readUInt32LE(at + 42),
  };
  const sizes = isWellFormed(extra) ? withZip64(said, extra) : undefined;
  if (!sizes) return refuse("header-mismatch", "The archive's directory is damaged. Pack it again.", path);
  if (records.readUInt16LE(at + 34) !== 0) {
    refuse("not-a-zip", "The archive is one part of several. Pack it as one file.", path);
  }
  const entry = {
    path,
    name,
    madeBy: records.readUInt16LE(at + 4),
    flags: records.readUInt16LE(at + 8),
    method: records.readUInt16LE(at + 10),
    crc: records.readUInt32LE(at + 16),
    attributes: records.readUInt32LE(at + 38),
    ...sizes,
  };
  return { entry, extra, end };
}

/** Readers take the one name or the other, so that both must be harmless. Here the one in UTF-8 counts. */
function checkNames(entry: ListedEntry, extra: Buffer, limits: ArchiveLimits): void {
  checkSpelling(entry.path);
  checkName(entry.path, limits);
  const unicode = extra.length === 0 ? undefined : unicodeName(entry.name, extra)?.toString("utf8");
  if (unicode === undefined || unicode === entry.path) return;
  if (entry.flags & FLAGS.utf8) refuse("header-mismatch", "An entry has two names. Pack it again.", entry.path);
  entry.path = unicode;
  checkSpelling(entry.path);
  checkName(entry.path, limits);
}

/** In place of bytes that are no UTF-8, decoding puts this. */
const REPLACEMENT = "\ufffd";

function checkSpelling(path: string): void {
  if (!path.includes(REPLACEMENT)) return;
  refuse("bad-name", "A name in the archive is not UTF-8. Pack it with a tool that writes UTF-8 names.", path);
}

const miscounted = (): never =>
  refuse("header-mismatch", "The archive does not hold as many files as it says. Pack it again.");

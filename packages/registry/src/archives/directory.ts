import type { ArchiveLimits } from "@backplane/contract/registry";
import { refuse } from "./archive.ts";
import type { ArchiveBytes } from "./bytes.ts";
import { checkEntry, checkName, createNameTree } from "./check-entry.ts";
import type { ListedEntry } from "./zip-records.ts";
import { FLAGS, IN_ZIP64, isWellFormed, RECORD_BYTES, SIGNATURES, unicodeName, withZip64 } from "./zip-records.ts";

type DirectoryPlace = { offset: number; size: number; entries: number };

const MAX_COMMENT_BYTES = 0xffff;
const TAIL_BYTES = MAX_COMMENT_BYTES + RECORD_BYTES.end + RECORD_BYTES.zip64Locator + RECORD_BYTES.zip64End;
const END_SIGNATURE = Buffer.from("PK\u0005\u0006");

/**
 * Finds the directory. Readers search for the end record in different ways, so there must be only one that any of them
 * can find: the last one, which reaches exactly to the end of the file and directly follows its directory.
 */
async function findDirectory(bytes: ArchiveBytes): Promise<DirectoryPlace> {
  const first = bytes.size < RECORD_BYTES.end ? undefined : (await bytes.at(0, 4)).readUInt32LE();
  if (first !== SIGNATURES.local && first !== SIGNATURES.end)
    refuse("not-a-zip", "This is not a zip archive. Pack it as one.");
  const tailStart = Math.max(0, bytes.size - TAIL_BYTES);
  const tail = await bytes.at(tailStart, bytes.size - tailStart);
  const end = tail.lastIndexOf(END_SIGNATURE);
  const length = tail.length - end;
  if (end === -1 || length < RECORD_BYTES.end)
    refuse("truncated", "The archive is cut off. Download or pack it again.");
  const commentBytes = tail.readUInt16LE(end + 20);
  if (length < RECORD_BYTES.end + commentBytes) {
    refuse("truncated", "The archive is cut off. Download or pack it again.");
  }
  if (length > RECORD_BYTES.end + commentBytes) unlisted("after its end");

  const place = {
    entries: tail.readUInt16LE(end + 10),
    size: tail.readUInt32LE(end + 12),
    offset: tail.readUInt32LE(end + 16),
  };
  const zip64 = zip64Place(tail, tailStart, end);
  const { endsAt, ...found } = zip64 ? agreed(place, zip64) : { ...place, endsAt: tailStart + end };
  const parts = zip64 ? [] : [tail.readUInt16LE(end + 4), tail.readUInt16LE(end + 6)];
  if (parts.some((part) => part !== 0)) inParts();
  if (!zip64 && tail.readUInt16LE(end + 8) !== found.entries) inParts();
  if (found.offset + found.size > endsAt)
    refuse("truncated", "A part of the archive is missing. Download or pack it again.");
  if (found.offset + found.size < endsAt) unlisted("beside its directory");
  return found;
}

type Zip64Place = DirectoryPlace & { endsAt: number };

/** Found by its locator, directly before the end record. Archives may have zip64 records without needing them. */
function zip64Place(tail: Buffer, tailStart: number, end: number): Zip64Place | undefined {
  const locator = end - RECORD_BYTES.zip64Locator;
  if (locator < 0 || tail.readUInt32LE(locator) !== SIGNATURES.zip64Locator) return undefined;
  if (tail.readUInt32LE(locator + 4) !== 0 || tail.readUInt32LE(locator + 16) > 1) inParts();
  const record = locator - RECORD_BYTES.zip64End;
  const isWhereSaid = Number(tail.readBigUInt64LE(locator + 8)) === tailStart + record;
  const isOneRecord =
    record >= 0 &&
    tail.readUInt32LE(record) === SIGNATURES.zip64End &&
    tail.readBigUInt64LE(record + 4) === BigInt(RECORD_BYTES.zip64End - 12);
  if (!isWhereSaid || !isOneRecord) disagree();
  if (tail.readUInt32LE(record + 16) !== 0 || tail.readUInt32LE(record + 20) !== 0) inParts();
  if (tail.readBigUInt64LE(record + 24) !== tail.readBigUInt64LE(record + 32)) inParts();
  return {
    entries: Number(tail.readBigUInt64LE(record + 32)),
    size: Number(tail.readBigUInt64LE(record + 40)),
    offset: Number(tail.readBigUInt64LE(record + 48)),
    endsAt: tailStart + record,
  };
}

function agreed(place: DirectoryPlace, zip64: Zip64Place): Zip64Place {
  const isSame = (short: number, long: number, inZip64: number) => short === long || short === inZip64;
  if (!isSame(place.entries, zip64.entries, IN_ZIP64.short)) disagree();
  if (!isSame(place.size, zip64.size, IN_ZIP64.long)) disagree();
  if (!isSame(place.offset, zip64.offset, IN_ZIP64.long)) disagree();
  return zip64;
}

const disagree = (): never =>
  refuse("header-mismatch", "The archive has two end records that disagree. Pack it again.");
const inParts = (): never => refuse("not-a-zip", "The archive is one part of several. Pack it as one file.");
const unlisted = (where: string): never =>
  refuse("trailing-data", `The archive has bytes ${where} that do not belong to any file. Pack it again.`);

export type Directory = { offset: number; entries: ListedEntry[] };

/** Far more than the most entries with the longest paths and extra fields take. */
const MAX_DIRECTORY_BYTES = 32 * 1024 * 1024;

/** The entries of an archive in the order of the file, after checking each of them. */
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

/** Some readers use the one name, some the other, so both must be harmless. We use the UTF-8 name. */
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

/** What decoding puts in place of bytes that are not UTF-8. */
const REPLACEMENT = "\ufffd";

function checkSpelling(path: string): void {
  if (!path.includes(REPLACEMENT)) return;
  refuse("bad-name", "A name in the archive is not UTF-8. Pack it with a tool that writes UTF-8 names.", path);
}

const miscounted = (): never =>
  refuse("header-mismatch", "The archive does not contain as many files as it states. Pack it again.");

import type { ArchiveBytes } from "./bytes.ts";
import { refuse } from "./refusal.ts";
import { IN_ZIP64, RECORD_BYTES, SIGNATURES } from "./zip-records.ts";

export type DirectoryPlace = { offset: number; size: number; entries: number };

const MAX_COMMENT_BYTES = 0xffff;
const TAIL_BYTES = MAX_COMMENT_BYTES + RECORD_BYTES.end + RECORD_BYTES.zip64Locator + RECORD_BYTES.zip64End;
const END_SIGNATURE = Buffer.from("PK\u0005\u0006");

/**
 * Where the directory is. Readers look for its end in different ways, so only one may be found, whichever way: the last
 * one, that reaches exactly to the end of the file and follows directly after the directory it names.
 */
export async function findDirectory(bytes: ArchiveBytes): Promise<DirectoryPlace> {
  const first = bytes.size < RECORD_BYTES.end ? undefined : (await bytes.at(0, 4)).readUInt32LE();
  if (first !== SIGNATURES.local && first !== SIGNATURES.end)
    refuse("not-a-zip", "This is not a zip archive. Pack it as one.");
  const tailStart = Math.max(0, bytes.size - TAIL_BYTES);
  const tail = await bytes.at(tailStart, bytes.size - tailStart);
  const end = tail.lastIndexOf(END_SIGNATURE);
  const length = tail.length - end;
  if (end === -1 || length < RECORD_BYTES.end) refuse("truncated", "The archive ends too early. Get or make it again.");
  const commentBytes = tail.readUInt16LE(end + 20);
  if (length < RECORD_BYTES.end + commentBytes) {
    refuse("truncated", "The archive ends too early. Get or make it again.");
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
    refuse("truncated", "A part of the archive is missing. Get or make it again.");
  if (found.offset + found.size < endsAt) unlisted("beside its directory");
  return found;
}

type Zip64Place = DirectoryPlace & { endsAt: number };

/** By its locator, directly before the end record; zip64 records may be there without need. */
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

const disagree = (): never => refuse("header-mismatch", "The archive has two ends that disagree. Pack it again.");
const inParts = (): never => refuse("not-a-zip", "The archive is one part of several. Pack it as one file.");
const unlisted = (where: string): never =>
  refuse("trailing-data", `The archive has bytes ${where} that belong to no file. Pack it again.`);

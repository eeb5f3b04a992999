import { pictureSizeOf } from "./picture-size.ts";

/** Ticks per millisecond. */
export const TICKS = 90;
const TIMESCALE = 1_000 * TICKS;
const TRACK = 1;
/** ISO/IEC 14496-12, 8.8.3.1: depends on no other picture, or on others. */
const KEY_FLAGS = 0x02000000;
const OTHER_FLAGS = 0x01010000;
const MATRIX = words(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

/** A picture as MP4 has it: units with their length before each. Times are in ticks. */
export type Sample = { ticks: number; isKey: boolean; bytes: Buffer };

/** The beginning of an MP4 file with one track of H.264; undefined: the parameters cannot be read. */
export function initOf(sequence: Buffer, picture: Buffer): Buffer | undefined {
  const size = pictureSizeOf(sequence);
  if (!size || sequence.length < 4) return undefined;
  const { width, height } = size;
  const entry = box(
    "avc1",
    ...[
      words(0, 1),
      Buffer.alloc(16),
      halves(width, height),
      words(0x480000, 0x480000, 0),
      halves(1),
      Buffer.alloc(32),
    ],
    ...[halves(24, 0xffff), box("avcC", configurationOf(sequence, picture))],
  );
  const empty = (name: string, count: number) => fullBox(name, 0, words(...Array<number>(count).fill(0)));
  const table = box(
    "stbl",
    ...[fullBox("stsd", 0, words(1), entry), empty("stts", 1), empty("stsc", 1), empty("stsz", 2), empty("stco", 1)],
  );
  const media = box(
    "mdia",
    fullBox("mdhd", 0, words(0, 0, TIMESCALE, 0), halves(0x55c4, 0)),
    fullBox("hdlr", 0, words(0), Buffer.from("vide"), words(0, 0, 0), Buffer.from("video\0")),
    box("minf", fullBox("vmhd", 1, words(0, 0)), box("dinf", fullBox("dref", 0, words(1), fullBox("url ", 1))), table),
  );
  const header = fullBox(
    "tkhd",
    3,
    words(0, 0, TRACK, 0, 0, 0, 0, 0, 0),
    MATRIX,
    words(width * 65_536, height * 65_536),
  );
  const movie = fullBox(
    "mvhd",
    0,
    ...[words(0, 0, TIMESCALE, 0, 0x10000), halves(0x100, 0), words(0, 0), MATRIX, words(0, 0, 0, 0, 0, 0, TRACK + 1)],
  );
  return Buffer.concat([
    box("ftyp", Buffer.from("iso6"), words(0), Buffer.from("iso6mp41")),
    box("moov", movie, box("trak", header, media), box("mvex", fullBox("trex", 0, words(TRACK, 1, 0, 0, 0)))),
  ]);
}

/** One piece of the file. `endTicks`: when the picture after its last one begins. */
export function fragmentOf(number: number, samples: readonly Sample[], endTicks: number): Buffer {
  const rows = samples.map(({ ticks, isKey, bytes }, i) =>
    words((samples[i + 1]?.ticks ?? endTicks) - ticks, bytes.length, isKey ? KEY_FLAGS : OTHER_FLAGS),
  );
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(samples[0]?.ticks ?? 0));
  const moof = (offset: number) =>
    box(
      "moof",
      fullBox("mfhd", 0, words(number)),
      box(
        "traf",
        fullBox("tfhd", 0x020000, words(TRACK)),
        fullBox("tfdt", 0x01000000, time),
        fullBox("trun", 0x000701, words(rows.length, offset), ...rows),
      ),
    );
  const data = box("mdat", ...samples.map(({ bytes }) => bytes));
  return Buffer.concat([moof(moof(0).length + 8), data]);
}

/** An AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1). */
function configurationOf(sequence: Buffer, picture: Buffer): Buffer {
  const [profile, constraints, level] = sequence.subarray(1, 4);
  return Buffer.concat([
    Buffer.from([1, profile ?? 0, constraints ?? 0, level ?? 0, 0xff, 0xe1]),
    ...[halves(sequence.length), sequence, Buffer.from([1]), halves(picture.length), picture],
  ]);
}

function box(name: string, ...content: readonly Buffer[]): Buffer {
  const size = content.reduce((sum, { length }) => sum + length, 8);
  return Buffer.concat([words(size), Buffer.from(name, "latin1"), ...content], size);
}

/** `versionAndFlags`: one byte and three. */
const fullBox = (name: string, versionAndFlags: number, ...content: readonly Buffer[]): Buffer =>
  box(name, words(versionAndFlags), ...content);

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, 4 * i);
  return bytes;
}

function halves(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, 2 * i);
  return bytes;
}

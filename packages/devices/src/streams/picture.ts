/** One picture of a stream: its NAL units, without start codes. `tMs`: by the clock of whoever sends it. */
export type Picture = { tMs: number; isKey: boolean; units: readonly Buffer[] };

/** Codecs that cameras send by RTP and that are read here. */
export type Codec = "H.264" | "H.265";

export const MAX_PICTURE_BYTES = 8_388_608;
/** Units of one picture: of a camera that sends more, nothing can be shown. */
export const MAX_UNITS = 1_024;
/** Parameter sets of a stream: they are put before key pictures, so large ones would make each of those large. */
export const MAX_PARAMETER_SETS = 16;
export const MAX_PARAMETER_BYTES = 16_384;

/** What is before each unit where nothing says its length (ITU-T H.264, annex B). */
export const START_CODE = Buffer.from([0, 0, 0, 1]);

/** A picture on its way between threads. One piece: many small ones take long to hand over. */
export type PackedPicture = { tMs: number; isKey: boolean; bytes: Uint8Array<ArrayBuffer>; lengths: number[] };

export function packPicture({ tMs, isKey, units }: Picture): PackedPicture {
  const lengths = units.map(({ length }) => length);
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const unit of units) {
    bytes.set(unit, at);
    at += unit.length;
  }
  return { tMs, isKey, bytes, lengths };
}

export function unitsOf({ bytes, lengths }: Pick<PackedPicture, "bytes" | "lengths">): Buffer[] {
  let at = bytes.byteOffset;
  return lengths.map((length) => {
    at += length;
    return Buffer.from(bytes.buffer, at - length, length);
  });
}

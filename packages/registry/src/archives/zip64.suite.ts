import { longs, type RawDirectory, words } from "./raw-zip.suite.ts";
import { SIGNATURES } from "./zip-records.ts";

/** The two zip64 records before the end record, in which any field can be wrong. */
export const zip64End =
  (
    wrong: { entries?: number; size?: number; offset?: number; disks?: number; at?: number } = {},
  ): ((truth: RawDirectory) => Buffer) =>
  (truth) => {
    const { entries, size, offset } = { ...truth, ...wrong };
    const at = wrong.at ?? truth.offset + truth.size;
    return Buffer.concat([
      words(SIGNATURES.zip64End),
      longs(44),
      Buffer.from([45, 3, 45, 0]),
      words(0, 0),
      longs(entries, entries, size, offset),
      words(SIGNATURES.zip64Locator, 0),
      longs(at),
      words(wrong.disks ?? 1),
    ]);
  };

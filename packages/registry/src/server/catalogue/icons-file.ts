import { endOfZip } from "../../archives/write-zip.ts";
import { writeResourcesPart } from "../../repository/resources-zip.ts";
import { fileOfPieces, type IndexFile } from "./index-file.ts";
import { createHasher, pieceOf } from "./pieces.ts";
import { createSegments, type Segment } from "./segments.ts";

type Limits = { bytes: number; entries: number };

/** KiCad's limit for resources.zip, and the most entries of a zip; more icons are left out. */
const MAX: Limits = { bytes: 100 * 1024 * 1024, entries: 0xffff };
/** Per icon, in addition to its bytes. */
const ZIP_ENTRY_BYTES = 512;

export type Icons = { resources: IndexFile; hasResources: boolean };

/**
 * Makes one resources.zip after the other. Only the icons of segments with a change are copied and checked again, and only what
 * follows the first change is hashed: with 10,000 icons of 4 KB a publication took five times as long otherwise.
 */
export function createIconsFile(max: Limits = MAX) {
  const segments = createSegments((packages) => {
    const icons = packages.flatMap(({ package: { identifier }, icon }) =>
      icon ? [[identifier, icon.bytes] as const] : [],
    );
    const { data, ...part } = writeResourcesPart(icons);
    return { piece: pieceOf(Buffer.concat(data)), ...part };
  });
  const hashPieces = createHasher();

  return async (cut: readonly Segment[]): Promise<Icons> => {
    const written = (await segments(fitting(cut, max))).filter(({ entries }) => entries > 0);
    const pieces = [...written.map(({ piece }) => piece), pieceOf(endOfZip(written))];
    return {
      resources: fileOfPieces("resources.zip", pieces, await hashPieces(pieces)),
      hasResources: written.length > 0,
    };
  };
}

/** The segments whose icons fit; the last one may be cut. */
function fitting(segments: readonly Segment[], { ...left }: Limits): Segment[] {
  const fit: Segment[] = [];
  for (const segment of segments) {
    const end = segment.findIndex(({ icon }) => {
      if (!icon) return false;
      left.bytes -= icon.bytes.length + ZIP_ENTRY_BYTES;
      left.entries -= 1;
      return left.bytes < 0 || left.entries < 0;
    });
    if (end < 0) fit.push(segment);
    else return [...fit, segment.slice(0, end)];
  }
  return fit;
}

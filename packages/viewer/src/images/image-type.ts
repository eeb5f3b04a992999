/** Supported types, and what sharp calls them. */
const READABLE = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/webp": "webp",
  "image/gif": "gif",
  "image/avif": "heif",
  "image/tiff": "tiff",
} as const;

export type ImageType = keyof typeof READABLE;

export type Sniffed =
  | { type: ImageType; format: string }
  /** Known, but not supported. */
  | { refused: string }
  | undefined;

/** Finds the type from the first bytes, whatever the sender says. */
export function sniffType(head: Buffer): Sniffed {
  const type = readableType(head);
  if (type !== undefined) return { type, format: READABLE[type] };
  const refused = unsupportedType(head);
  return refused === undefined ? undefined : { refused };
}

function readableType(head: Buffer): ImageType | undefined {
  const at = (from: number, text: string) => head.toString("latin1", from, from + text.length) === text;
  if (at(0, "\x89PNG\r\n\x1a\n")) return "image/png";
  if (at(0, "\xff\xd8\xff")) return "image/jpeg";
  if (at(0, "RIFF") && at(8, "WEBP")) return "image/webp";
  if (at(0, "GIF87a") || at(0, "GIF89a")) return "image/gif";
  if (at(0, "II*\0") || at(0, "MM\0*") || at(0, "II+\0") || at(0, "MM\0+")) return "image/tiff";
  if (brandsOf(head).some((brand) => brand === "avif" || brand === "avis")) return "image/avif";
  return undefined;
}

/** ISO base media file: the first box has the major brand, the minor version, then the compatible brands. */
function brandsOf(head: Buffer): string[] {
  if (head.length < 16 || head.toString("latin1", 4, 8) !== "ftyp") return [];
  const end = Math.min(head.readUInt32BE(0), head.length);
  const brands = [head.toString("latin1", 8, 12)];
  for (let from = 16; from + 4 <= end; from += 4) brands.push(head.toString("latin1", from, from + 4));
  return brands;
}

/** SVG can load files and addresses, so it is refused; the others have no decoder here. */
function unsupportedType(head: Buffer): string | undefined {
  const text = head
    .toString("latin1")
    .replace(/^\xef\xbb\xbf/, "")
    .trimStart()
    .toLowerCase();
  if (text.startsWith("<svg") || (text.startsWith("<?xml") && text.includes("<svg"))) return "SVG";
  if (brandsOf(head).some((brand) => /^(hei[cfsx]|hev[cx]|mif1|msf1)$/.test(brand))) return "HEIC";
  if (/^bm[\s\S]{4}\0\0\0\0/.test(text)) return "BMP";
  if (text.startsWith("%pdf-")) return "PDF";
  return undefined;
}

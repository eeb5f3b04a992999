import { constants, deflateRawSync } from "node:zlib";
import sharp from "sharp";
import { type Chunk, PNG_SIGNATURE, readChunks, writeChunks } from "../../packages/viewer/src/images/png.ts";

/** An image and the expected problem code, or "kept" if it is hostile but valid. */
export type HostilePicture = readonly [what: string, bytes: Buffer, outcome: string];

const NOTHING = Buffer.alloc(0);
const MEGABYTE = 1024 * 1024;

type Header = { width: number; height: number; bits?: number; colour?: number; interlaced?: boolean };

const BLOCK_BYTES = MEGABYTE;
const ADLER_MODULUS = 65_521;

/** Compressed zeros, put together from equal blocks: compressing half a gigabyte takes seconds. */
function zeros(bytes: number): Buffer {
  const pack = (length: number, finishFlush: number) => deflateRawSync(Buffer.alloc(length), { level: 9, finishFlush });
  const block = pack(BLOCK_BYTES, constants.Z_FULL_FLUSH);
  const blocks = Buffer.alloc(block.length * Math.floor(bytes / BLOCK_BYTES), block);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt16BE(bytes % ADLER_MODULUS);
  checksum.writeUInt16BE(1, 2);
  return Buffer.concat([Buffer.from([0x78, 0xda]), blocks, pack(bytes % BLOCK_BYTES, constants.Z_FINISH), checksum]);
}

/** 1-bit greyscale by default. `pixelBytes`: of black pixels. */
function png({ width, height, bits = 1, colour = 0, interlaced = false }: Header, pixelBytes: number): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([bits, colour, 0, 0, interlaced ? 1 : 0], 8);
  return writeChunks([
    { type: "IHDR", data },
    { type: "IDAT", data: zeros(pixelBytes) },
    { type: "IEND", data: NOTHING },
  ]);
}

const rowsOf = (width: number, height: number): number => (Math.ceil(width / 8) + 1) * height;

/** Inserts chunks between the header and the pixels. */
function withChunks(picture: Buffer, added: readonly Chunk[]): Buffer {
  const [header, ...rest] = readChunks(picture) ?? [];
  return writeChunks([...(header ? [header] : []), ...added, ...rest]);
}

function withManyChunks(picture: Buffer, count: number): Buffer {
  const one = writeChunks([{ type: "abCd", data: NOTHING }]).subarray(PNG_SIGNATURE.length);
  const headerEnd = PNG_SIGNATURE.length + 25;
  return Buffer.concat([
    picture.subarray(0, headerEnd),
    Buffer.alloc(one.length * count, one),
    picture.subarray(headerEnd),
  ]);
}

const compressed = (megabytes: number): Buffer => Buffer.concat([Buffer.from("x\0\0"), zeros(megabytes * MEGABYTE)]);

/** A black GIF with the given screen and frame sizes. */
function gif(screen: number, frame: number, frames = 1): Buffer {
  const size = (side: number) => Buffer.from([side & 255, side >> 8, side & 255, side >> 8]);
  const image = Buffer.concat([Buffer.from([0x2c, 0, 0, 0, 0]), size(frame), Buffer.from([0, 2, 2, 0x44, 1, 0])]);
  return Buffer.concat([
    Buffer.from("GIF89a"),
    size(screen),
    Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
    Buffer.alloc(image.length * frames, image),
    Buffer.from(";"),
  ]);
}

/** A lossless WebP header that claims this size, followed by a few bytes. */
function webp(side: number): Buffer {
  const header = Buffer.alloc(40);
  header.write("RIFF");
  header.writeUInt32LE(header.length - 8, 4);
  header.write("WEBPVP8L", 8);
  header.writeUInt32LE(header.length - 20, 16);
  header[20] = 0x2f;
  header.writeUInt32LE((side - 1) | ((side - 1) << 14), 21);
  return header;
}

/** Baseline greyscale TIFF; `next` is the offset of the next directory. */
function tiff(side: number, next = 0): Buffer {
  const tags = [
    [256, 4, side],
    [257, 4, side],
    [258, 3, 8],
    [259, 3, 1],
    [262, 3, 1],
    [273, 4, 8],
    [277, 3, 1],
    [278, 4, side],
    [279, 4, 16],
  ] as const;
  const bytes = Buffer.alloc(8 + 2 + tags.length * 12 + 4 + 16);
  bytes.write("II*\0", "latin1");
  bytes.writeUInt32LE(8, 4);
  bytes.writeUInt16LE(tags.length, 8);
  for (const [place, [tag, type, value]] of tags.entries()) {
    const at = 10 + place * 12;
    bytes.writeUInt16LE(tag, at);
    bytes.writeUInt16LE(type, at + 2);
    bytes.writeUInt32LE(1, at + 4);
    bytes.writeUInt32LE(value, at + 8);
  }
  bytes.writeUInt32LE(next, 10 + tags.length * 12);
  return bytes;
}

/** Rewrites the size in the first frame header. */
function jpegOfSize(jpeg: Buffer, side: number): Buffer {
  const bytes = Buffer.from(jpeg);
  const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]));
  bytes.writeUInt16BE(side, frame + 5);
  bytes.writeUInt16BE(side, frame + 7);
  return bytes;
}

/** Rewrites the size in the header. */
function avifOfSize(avif: Buffer, side: number): Buffer {
  const bytes = Buffer.from(avif);
  const box = bytes.indexOf("ispe");
  bytes.writeUInt32BE(side, box + 8);
  bytes.writeUInt32BE(side, box + 12);
  return bytes;
}

function nestedBoxes(depth: number): Buffer {
  const type = Buffer.from("\0\0\0\x20ftypavif\0\0\0\0avifmif1miafMA1B", "latin1");
  const boxes = Buffer.alloc(depth * 8);
  for (let level = 0; level < depth; level += 1) {
    boxes.writeUInt32BE(boxes.length - level * 8, level * 8);
    boxes.write(level === 0 ? "moov" : "trak", level * 8 + 4);
  }
  return Buffer.concat([type, boxes]);
}

/** All within the upload limit. */
export async function hostilePictures(): Promise<HostilePicture[]> {
  const screen = sharp({ create: { width: 200, height: 150, channels: 3, background: "#2b6" } });
  const small = await screen.png().toBuffer();
  const jpeg = await screen.jpeg().toBuffer();
  const avif = await screen.avif().toBuffer();
  const large = { width: 7_000, height: 7_000, bits: 16, colour: 6 };
  return [
    ["900 megapixels in 100 KB", png({ width: 30_000, height: 30_000 }, rowsOf(30_000, 30_000)), "image-too-large"],
    ["a PNG one row too high", png({ width: 7_072, height: 7_071 }, rowsOf(7_072, 7_071)), "image-too-large"],
    ["a PNG of 2³¹ - 1 squared", png({ width: 2 ** 31 - 1, height: 2 ** 31 - 1 }, 0), "image-damaged"],
    ["a PNG of zero width", png({ width: 0, height: 10 }, rowsOf(8, 10)), "image-damaged"],
    ["a PNG whose header lies", png({ width: 6_000, height: 6_000 }, rowsOf(2_000, 2_000)), "image-damaged"],
    ["a deep PNG without its pixels", png(large, rowsOf(80, 1)), "image-damaged"],
    ["an interlaced one", png({ ...large, interlaced: true }, rowsOf(80, 1)), "image-damaged"],
    ["a PNG of 2 million empty chunks", withManyChunks(small, 2_000_000), "kept"],
    ["a profile that unpacks to 300 MB", withChunks(small, [{ type: "iCCP", data: compressed(300) }]), "kept"],
    ["a text that unpacks to 300 MB", withChunks(small, [{ type: "zTXt", data: compressed(300) }]), "kept"],
    ["pixels that unpack to 500 MB", png({ width: 10, height: 10 }, 500 * MEGABYTE), "kept"],
    [
      "a PNG whose only chunk has 32 MB",
      Buffer.concat([small.subarray(0, 33), Buffer.alloc(32_000_000)]),
      "image-damaged",
    ],
    ["a GIF of 65,535 squared", gif(65_535, 65_535), "image-too-large"],
    ["a GIF with a frame larger than itself", gif(16, 65_535), "image-too-large"],
    ["a GIF of 2 million frames", gif(2, 2, 2_000_000), "image-too-large"],
    [
      "a WebP of 2 million chunks",
      Buffer.concat([webp(4), Buffer.alloc(20_000_000, "ANMF\x02\0\0\0ab")]),
      "image-too-large",
    ],
    ["a WebP of 16,383 squared", webp(16_383), "image-too-large"],
    ["a WebP without its pixels", webp(4_000), "image-damaged"],
    ["a TIFF of 100,000 squared", tiff(100_000), "image-too-large"],
    ["a TIFF of 2³² - 1 squared", tiff(2 ** 32 - 1), "image-damaged"],
    ["a TIFF without its pixels", tiff(5_000), "image-damaged"],
    ["a TIFF whose directories form a loop", tiff(5_000, 8), "image-damaged"],
    ["a JPEG of 65,500 squared", jpegOfSize(jpeg, 65_500), "image-too-large"],
    ["a JPEG whose header lies, decoded with grey for the missing part", jpegOfSize(jpeg, 6_000), "kept"],
    ["an AVIF of 60,000 squared", avifOfSize(avif, 60_000), "image-too-large"],
    ["an AVIF whose header lies", avifOfSize(avif, 5_000), "image-damaged"],
    ["an AVIF of 100,000 nested boxes", nestedBoxes(100_000), "image-damaged"],
    ...[small, jpeg, avif, await screen.webp().toBuffer()].map(
      (whole, place) =>
        [`picture ${place} without its second half`, whole.subarray(0, whole.length >> 1), "image-damaged"] as const,
    ),
  ];
}

/** Files that are not supported images, by their real type. SVG and HEIC are images, but not supported. */
export function unsupportedFiles(): [type: string, bytes: Buffer][] {
  const hex = (text: string): Buffer =>
    Buffer.concat([Buffer.from(text.replaceAll(" ", ""), "hex"), Buffer.alloc(600, 7)]);
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/hostname"/></svg>';
  return [
    ["text/html", Buffer.from("<!doctype html><script>alert(1)</script>")],
    ["text/plain", Buffer.from("only words")],
    ["text/css", Buffer.from("body { background: url(a.png) }")],
    ["text/csv", Buffer.from("a,b\n1,2\n")],
    ["text/xml", Buffer.from('<?xml version="1.0"?><note/>')],
    ["image/svg+xml", Buffer.from(svg)],
    ["image/svg+xml", Buffer.from(`<?xml version="1.0"?>\n${svg}`)],
    ["image/heic", Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1")],
    ["image/bmp", hex("424d 3a000000 00000000 36000000")],
    ["image/x-icon", hex("00000100 0100 1010")],
    ["application/json", Buffer.from('{"image":"iVBORw0KGgo="}')],
    ["application/pdf", Buffer.from("%PDF-1.7\n1 0 obj\n<<>>\nendobj")],
    ["application/postscript", Buffer.from("%!PS-Adobe-3.0\n(/etc/hostname) (r) file")],
    ["application/zip", hex("504b0304 14000000 0800")],
    ["application/gzip", hex("1f8b0800 00000000 0003")],
    ["application/x-7z-compressed", hex("377abcaf 271c")],
    ["application/x-msdownload", hex("4d5a9000 0300")],
    ["application/x-executable", hex("7f454c46 020101")],
    ["application/wasm", hex("0061736d 01000000")],
    ["application/x-www-form-urlencoded", Buffer.from("image=iVBORw0KGgo")],
    ["application/javascript", Buffer.from("export default 1")],
    ["audio/mpeg", hex("49443304 0000")],
    ["audio/wav", hex("52494646 24080000 57415645 666d7420")],
    ["video/mp4", hex("00000018 66747970 69736f6d 00000200 69736f6d 6d703431")],
    ["video/webm", hex("1a45dfa3")],
    ["font/woff2", hex("774f4632")],
  ];
}

/*
 * Why this exists: `convertToBlob` takes three times as long. It tries filters, which pictures of user interfaces do not
 * need, and searches for repetitions at any distance. Here pixels are only compared with the one before and the one above;
 * these pictures get as small by that, and the server compresses them again.
 */

type Picture = Pick<ImageData, "width"> & { readonly data: Uint8ClampedArray };

/** PNG (W3C), true colour, rows without a filter. The picture is opaque. */
export function encodePng({ data, width }: Picture): Blob {
  const pixels = new Uint32Array(data.buffer, data.byteOffset, data.byteLength / Uint32Array.BYTES_PER_ELEMENT);
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, pixels.length / width);
  // 8 bits per channel, red, green and blue.
  header.setUint16(8, 0x0802);
  const parts = [
    SIGNATURE,
    ...chunk("IHDR", new Uint8Array(header.buffer)),
    ...chunk("IDAT", deflate(pixels, width)),
    ...chunk("IEND", new Uint8Array()),
  ];
  return new Blob(parts, { type: "image/png" });
}

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

type Bytes = Uint8Array<ArrayBuffer>;

function chunk(type: string, data: Bytes): Bytes[] {
  const name = new TextEncoder().encode(type);
  const length = new DataView(new ArrayBuffer(4));
  length.setUint32(0, data.length);
  const check = new DataView(new ArrayBuffer(4));
  check.setUint32(0, ~crc32(data, crc32(name, -1)));
  return [new Uint8Array(length.buffer), name, data, new Uint8Array(check.buffer)];
}

const CRC_TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

function crc32(bytes: Bytes, from: number): number {
  let crc = from;
  for (let at = 0; at < bytes.length; at += 1) {
    crc = (CRC_TABLE[(crc ^ (bytes[at] as number)) & 0xff] as number) ^ (crc >>> 8);
  }
  return crc;
}

/** Bits of a deflate stream (RFC 1951) that are written together: the lowest first. */
type Code = { readonly bits: number; readonly length: number };

/** Huffman codes are written with their highest bit first. */
function reversed(code: number, length: number): number {
  let bits = 0;
  for (let bit = 0; bit < length; bit += 1) bits |= ((code >> bit) & 1) << (length - 1 - bit);
  return bits;
}

/** RFC 1951 3.2.6: the code of a byte, of the end (256), or of a length (from 257). */
function fixedCode(symbol: number): Code {
  const [first, code, length] =
    symbol < 144 ? [0, 0x30, 8] : symbol < 256 ? [144, 0x190, 9] : symbol < 280 ? [256, 0, 7] : [280, 0xc0, 8];
  return { bits: reversed(code + symbol - first, length), length };
}

const BYTE_CODES = Array.from({ length: 256 }, (_, byte) => fixedCode(byte));
const BYTE_BITS = Uint16Array.from(BYTE_CODES, ({ bits }) => bits);
const BYTE_LENGTHS = Uint8Array.from(BYTE_CODES, ({ length }) => length);
const END = fixedCode(256);

const MIN_MATCH = 3;
/** Whole pixels, so that nothing shorter than `MIN_MATCH` is left over. */
const MAX_MATCH = 258;
const WINDOW = 32_768;

/** The codes of lengths up to `MAX_MATCH`: a symbol for a range of lengths, and the place in that range. */
const LENGTH_CODES: readonly Code[] = Array.from({ length: MAX_MATCH + 1 }, (_, length) => {
  if (length === MAX_MATCH) return fixedCode(285);
  const above = Math.max(0, length - MIN_MATCH);
  const extra = Math.max(0, Math.floor(Math.log2(Math.max(1, above))) - 2);
  const { bits, length: own } = fixedCode(257 + 4 * extra + (above >> extra));
  return { bits: bits | ((above & ((1 << extra) - 1)) << own), length: own + extra };
});

/** All codes of distances have five bits. */
function distanceCode(distance: number): Code {
  const above = distance - 1;
  const extra = Math.max(0, Math.floor(Math.log2(Math.max(1, above))) - 1);
  return { bits: reversed(2 * extra + (above >> extra), 5) | ((above & ((1 << extra) - 1)) << 5), length: 5 + extra };
}

const CHANNELS = 3;
/** No code takes more than these bits per byte of the picture. */
const MAX_BITS_PER_BYTE = 9;
/** Header, block, end and check of the stream. */
const AROUND_BYTES = 16;

/** A zlib stream (RFC 1950) of one block. Written for speed: a screen has millions of pixels. */
function deflate(pixels: Uint32Array, width: number): Bytes {
  const stride = CHANNELS * width + 1;
  const rowBytes = Math.ceil((stride * MAX_BITS_PER_BYTE) / 8);
  const left = distanceCode(CHANNELS);
  const up = distanceCode(Math.min(stride, WINDOW));
  let out: Bytes = new Uint8Array(pixels.length + rowBytes + AROUND_BYTES);
  let at = 0;
  let bits = 0;
  let count = 0;

  function put(more: number, length: number): void {
    bits |= more << count;
    count += length;
    while (count >= 8) {
      out[at] = bits;
      at += 1;
      bits >>>= 8;
      count -= 8;
    }
  }

  function repeat(pixelCount: number, distance: Code): void {
    for (let bytes = CHANNELS * pixelCount; bytes > 0; ) {
      const length = Math.min(bytes, MAX_MATCH);
      const code = LENGTH_CODES[length] as Code;
      put(code.bits, code.length);
      put(distance.bits, distance.length);
      bytes -= length;
    }
  }

  // A window of 32 KB; the last block, with fixed codes.
  put(0x78, 8);
  put(0x01, 8);
  put(0b011, 3);
  for (let start = 0; start < pixels.length; start += width) {
    if (at + rowBytes + AROUND_BYTES > out.length) out = enlarged(out, rowBytes);
    // Before each row is a byte for its filter: none.
    put(BYTE_BITS[0] as number, BYTE_LENGTHS[0] as number);
    const end = start + width;
    const hasAbove = start > 0 && stride <= WINDOW;
    for (let i = start; i < end; ) {
      let same = i;
      if (hasAbove) while (same < end && pixels[same] === pixels[same - width]) same += 1;
      let run = i;
      if (i > start) while (run < end && pixels[run] === pixels[i - 1]) run += 1;
      if (run > i && run >= same) {
        repeat(run - i, left);
        i = run;
      } else if (same > i) {
        repeat(same - i, up);
        i = same;
      } else {
        const pixel = pixels[i] as number;
        for (let shift = 0; shift < 8 * CHANNELS; shift += 8) {
          const byte = (pixel >>> shift) & 0xff;
          put(BYTE_BITS[byte] as number, BYTE_LENGTHS[byte] as number);
        }
        i += 1;
      }
    }
  }
  put(END.bits, END.length);
  put(0, 7);
  new DataView(out.buffer).setUint32(at, adler32(pixels, width));
  return out.subarray(0, at + 4);
}

function enlarged(bytes: Bytes, atLeast: number): Bytes {
  const larger = new Uint8Array(2 * bytes.length + atLeast);
  larger.set(bytes);
  return larger;
}

const ADLER_MODULUS = 65_521;
/** So many pixels cannot exceed what a number holds as an integer of 32 bits. */
const SUMMED_AT_ONCE = 1_000;

/** Of the bytes that were compressed. Three bytes add to `b` what `a` was, and each byte once for itself and those after it. */
function adler32(pixels: Uint32Array, width: number): number {
  let a = 1;
  let b = 0;
  for (let start = 0; start < pixels.length; start += width) {
    b = (b + a) % ADLER_MODULUS;
    for (let i = start; i < start + width; ) {
      const until = Math.min(i + SUMMED_AT_ONCE, start + width);
      for (; i < until; i += 1) {
        const pixel = pixels[i] as number;
        const [red, green, blue] = [pixel & 0xff, (pixel >>> 8) & 0xff, (pixel >>> 16) & 0xff];
        b += 3 * (a + red) + 2 * green + blue;
        a += red + green + blue;
      }
      a %= ADLER_MODULUS;
      b %= ADLER_MODULUS;
    }
  }
  return ((b << 16) | a) >>> 0;
}

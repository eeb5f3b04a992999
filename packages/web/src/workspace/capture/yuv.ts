/** How colours were converted to luma and chroma. */
export type Matrix = {
  readonly name: string;
  /** The weights of red and blue. */
  readonly kr: number;
  readonly kb: number;
  /** Whether all 256 levels are used. */
  readonly isFullRange: boolean;
  /** Whether chroma was rounded down instead of to the nearest level, as some machines do. */
  readonly isCut: boolean;
};

const WEIGHTS = [
  { name: "bt601", kr: 0.299, kb: 0.114 },
  { name: "bt709", kr: 0.2126, kb: 0.0722 },
];

/** The first one fits what Chromium sends today, whatever its frames claim. */
export const MATRICES: readonly Matrix[] = [false, true].flatMap((isFullRange) =>
  [false, true].flatMap((isCut) =>
    WEIGHTS.map(({ name, kr, kb }) => ({
      name: [name, isFullRange && "full range", isCut && "cut"].filter(Boolean).join(", "),
      ...{ kr, kb, isFullRange, isCut },
    })),
  ),
);

type Plane = { readonly offset: number; readonly stride: number };
/** A frame in 4:2:0. `chromaStep` is 2 where `u` and `v` share a plane. */
export type YuvFrame = {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly y: Plane;
  readonly u: Plane;
  readonly v: Plane;
  readonly chromaStep: 1 | 2;
};

/** Where the planes are in the bytes of a frame, for the two formats that browsers use. */
export function planesOf(
  format: "I420" | "NV12",
  layout: readonly Plane[],
): Pick<YuvFrame, "y" | "u" | "v" | "chromaStep"> {
  const [y, u, v] = layout;
  if (!y || !u) throw new Error(`a frame of ${layout.length} planes is not ${format}`);
  if (format === "NV12") return { y, u, v: { offset: u.offset + 1, stride: u.stride }, chromaStep: 2 };
  if (!v) throw new Error("a frame of 2 planes is not I420");
  return { y, u, v, chromaStep: 1 };
}

const SHIFT = 16;
const ONE = 1 << SHIFT;

/** What each level of a plane adds to each colour: a look-up is faster than arithmetic, and rounds once. */
function tablesOf({ kr, kb, isFullRange, isCut }: Matrix) {
  const kg = 1 - kr - kb;
  const luma = isFullRange ? 1 : 255 / 219;
  const chroma = isFullRange ? 1 : 255 / 224;
  const table = (levelOf: (level: number) => number, weight: number, add = 0) =>
    Int32Array.from({ length: 256 }, (_, level) => Math.round(levelOf(level) * weight * ONE) + add);
  const ofLuma = (level: number) => level - (isFullRange ? 0 : 16);
  // Rounding down loses half a level on average; greys have no chroma and lose nothing.
  const ofChroma = (level: number) => level - 128 + (isCut && level !== 128 ? 0.5 : 0);
  return {
    y: table(ofLuma, luma, ONE / 2),
    redOfV: table(ofChroma, 2 * (1 - kr) * chroma),
    greenOfU: table(ofChroma, (-2 * kb * (1 - kb) * chroma) / kg),
    greenOfV: table(ofChroma, (-2 * kr * (1 - kr) * chroma) / kg),
    blueOfU: table(ofChroma, 2 * (1 - kb) * chroma),
  };
}

/** Opaque RGBA, row by row. Written for speed: a screen has millions of pixels. */
export function decodeYuv(frame: YuvFrame, matrix: Matrix): Uint8ClampedArray<ArrayBuffer> {
  const { bytes, width, height, y, u, v, chromaStep } = frame;
  const tables = tablesOf(matrix);
  const rgba = new Uint8ClampedArray(width * height * 4);
  const pixels = new Uint32Array(rgba.buffer);
  let out = 0;
  for (let row = 0; row < height; row += 1) {
    const lumaAt = y.offset + row * y.stride;
    const uAt = u.offset + (row >> 1) * u.stride;
    const vAt = v.offset + (row >> 1) * v.stride;
    // Two neighbouring pixels share their chroma.
    for (let column = 0; column < width; column += 2) {
      const step = (column >> 1) * chromaStep;
      const blueness = bytes[uAt + step] as number;
      const redness = bytes[vAt + step] as number;
      const red = tables.redOfV[redness] as number;
      const green = (tables.greenOfU[blueness] as number) + (tables.greenOfV[redness] as number);
      const blue = tables.blueOfU[blueness] as number;
      const light = tables.y[bytes[lumaAt + column] as number] as number;
      pixels[out] = pixel(light + red, light + green, light + blue);
      out += 1;
      if (column + 1 === width) break;
      const other = tables.y[bytes[lumaAt + column + 1] as number] as number;
      pixels[out] = pixel(other + red, other + green, other + blue);
      out += 1;
    }
  }
  return rgba;
}

/** Channels can exceed black and white by at most this much. */
const BEYOND = 512;
const CLAMPED = Uint8ClampedArray.from({ length: 256 + 2 * BEYOND }, (_, level) => level - BEYOND);
const channel = (sum: number): number => CLAMPED[(sum >> SHIFT) + BEYOND] as number;

/** Little-endian, like all machines that browsers run on. */
const pixel = (red: number, green: number, blue: number): number =>
  channel(red) | (channel(green) << 8) | (channel(blue) << 16) | (255 << 24);

import { IMAGE_LIMITS } from "./limits.ts";

/** Straight RGBA, eight bits each. */
export type Pixels = { rgba: Buffer; width: number; height: number };

export type Survey =
  /** Few enough colours for a palette: each as 0xAABBGGRR, and for every pixel its place among them. */
  { colours: number[]; places: Buffer } | { colours: undefined; isOpaque: boolean };

const SLOTS = 1_024;
const OPAQUE = 0xff00_0000;

/** Which form of PNG holds these pixels exactly. One pass, and most images with many colours show it early. */
export function surveyPixels({ rgba, width, height }: Pixels): Survey {
  const pixels = asWords(rgba);
  const places = Buffer.allocUnsafe(width * height);
  const colours: number[] = [];
  const slotColour = new Uint32Array(SLOTS);
  const slotPlace = new Int16Array(SLOTS).fill(-1);
  let last = 0;
  let lastPlace = -1;
  for (let i = 0; i < pixels.length; i++) {
    const colour = pixels[i] ?? 0;
    if (colour !== last || lastPlace === -1) {
      let slot = Math.imul(colour, 0x9e37_79b1) >>> 22;
      while (slotPlace[slot] !== -1 && slotColour[slot] !== colour) slot = (slot + 1) % SLOTS;
      if (slotPlace[slot] === -1) {
        if (colours.length === IMAGE_LIMITS.maxPaletteColours)
          return { colours: undefined, isOpaque: isOpaque(pixels) };
        slotColour[slot] = colour;
        slotPlace[slot] = colours.length;
        colours.push(colour);
      }
      last = colour;
      lastPlace = slotPlace[slot] ?? 0;
    }
    places[i] = lastPlace;
  }
  return { colours, places };
}

function isOpaque(pixels: Uint32Array): boolean {
  for (let i = 0; i < pixels.length; i++) if (((pixels[i] ?? 0) & OPAQUE) !== (OPAQUE | 0)) return false;
  return true;
}

/** Little-endian, as every machine that Node runs on today. */
function asWords(rgba: Buffer): Uint32Array {
  const aligned = rgba.byteOffset % 4 === 0 ? rgba : new Uint8Array(rgba);
  return new Uint32Array(aligned.buffer, aligned.byteOffset, rgba.length / 4);
}

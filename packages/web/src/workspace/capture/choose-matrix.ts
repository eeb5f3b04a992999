import { decodeYuv, MATRICES, type Matrix, type YuvFrame } from "./yuv.ts";

export type Colour = readonly [red: number, green: number, blue: number];

/** Strong colours and greys tell weights and ranges apart; muted ones, how levels were rounded. */
export const SWATCH: readonly Colour[] = [
  [0, 170, 0],
  [0, 0, 170],
  [170, 0, 0],
  [128, 128, 128],
  [255, 255, 255],
  [0, 0, 0],
  [255, 136, 0],
  [0, 136, 255],
  [24, 28, 33],
  [32, 37, 43],
  [200, 180, 160],
  [60, 90, 70],
  [90, 60, 110],
  [180, 200, 220],
  [120, 100, 40],
  [40, 110, 120],
];

/** Off by more than this, none of the matrices is right. */
const MAX_ERROR = 6;

/** How far the channels of the fields are off, in a picture of the fields of the swatch side by side. */
export function errorsOf(rgba: Uint8ClampedArray, { width, height }: { width: number; height: number }): number[] {
  return SWATCH.flatMap((colour, index) => {
    const x = Math.floor(((index + 0.5) * width) / SWATCH.length);
    const at = (Math.floor(height / 2) * width + x) * 4;
    return colour.map((level, channel) => Math.abs(level - (rgba[at + channel] ?? Number.POSITIVE_INFINITY)));
  });
}

/** The matrix that gives back the swatch best. Undefined: none does, and the browser's own conversion is as good as any. */
export function chooseMatrix(frame: YuvFrame): Matrix | undefined {
  let best: { matrix: Matrix; sum: number; worst: number } | undefined;
  for (const matrix of MATRICES) {
    const errors = errorsOf(decodeYuv(frame, matrix), frame);
    const sum = errors.reduce((total, error) => total + error ** 2, 0);
    if (!best || sum < best.sum) best = { matrix, sum, worst: Math.max(...errors) };
  }
  return best && best.worst <= MAX_ERROR ? best.matrix : undefined;
}

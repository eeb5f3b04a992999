import type { SharedSurface } from "./shared-surface.ts";
import { sizeOf } from "./shared-surface.ts";
import { decodeYuv, MATRICES, type Matrix, planesOf, type YuvFrame } from "./yuv.ts";

type Colour = readonly [red: number, green: number, blue: number];

/** Strong colours and greys distinguish weights and ranges; muted ones show how levels were rounded. */
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

/** When the best matrix is off by more than this, none of them is right. */
const MAX_ERROR = 6;

/** The error of every channel of every field, in a picture of the swatch. */
export function errorsOf(rgba: Uint8ClampedArray, { width, height }: { width: number; height: number }): number[] {
  return SWATCH.flatMap((colour, index) => {
    const x = Math.floor(((index + 0.5) * width) / SWATCH.length);
    const at = (Math.floor(height / 2) * width + x) * 4;
    return colour.map((level, channel) => Math.abs(level - (rgba[at + channel] ?? Number.POSITIVE_INFINITY)));
  });
}

/** The matrix that decodes the swatch best; undefined when none does, and the browser's own conversion is as good. */
export function chooseMatrix(frame: YuvFrame): Matrix | undefined {
  let best: { matrix: Matrix; sum: number; worst: number } | undefined;
  for (const matrix of MATRICES) {
    const errors = errorsOf(decodeYuv(frame, matrix), frame);
    const sum = errors.reduce((total, error) => total + error ** 2, 0);
    if (!best || sum < best.sum) best = { matrix, sum, worst: Math.max(...errors) };
  }
  return best && best.worst <= MAX_ERROR ? best.matrix : undefined;
}

const FIELD_PX = 16;

/**
 * Frames may be encoded differently from what they claim, by up to 26 levels of colour. Capturing known colours shows how.
 * Fails when the shared surface is not this tab.
 */
export async function measureColours(surface: SharedSurface): Promise<Matrix | undefined> {
  const swatch = drawSwatch();
  // Behind the page it is captured, but nobody sees it.
  document.body.prepend(swatch);
  try {
    return await surface.grab(swatch, async (frame) => {
      const yuv = await readYuv(frame);
      return yuv && chooseMatrix(yuv);
    });
  } finally {
    swatch.remove();
  }
}

function drawSwatch(): HTMLElement {
  const swatch = document.createElement("div");
  swatch.setAttribute("aria-hidden", "true");
  Object.assign(swatch.style, {
    ...{ position: "fixed", left: "0", top: "0", zIndex: "-1", isolation: "isolate", pointerEvents: "none" },
    ...{ display: "flex", width: `${SWATCH.length * FIELD_PX}px`, height: `${FIELD_PX}px` },
  });
  for (const [red, green, blue] of SWATCH) {
    const field = document.createElement("i");
    Object.assign(field.style, { flex: "1", background: `rgb(${red} ${green} ${blue})` });
    swatch.append(field);
  }
  return swatch;
}

/** The planes of a frame; undefined when it is already in RGB. */
async function readYuv(frame: VideoFrame): Promise<YuvFrame | undefined> {
  const { format } = frame;
  const size = sizeOf(frame);
  if (format !== "I420" && format !== "NV12") return undefined;
  const bytes = new Uint8Array(frame.allocationSize());
  const layout = await frame.copyTo(bytes);
  return { bytes, ...size, ...planesOf(format, layout) };
}

/** The picture of a frame. Without a matrix the browser converts it, which is right for frames in RGB. */
export async function readPicture(frame: VideoFrame, matrix: Matrix | undefined): Promise<ImageData> {
  const yuv = matrix && (await readYuv(frame));
  if (yuv && matrix) return new ImageData(decodeYuv(yuv, matrix), yuv.width, yuv.height);
  const { width, height } = sizeOf(frame);
  const canvas = new OffscreenCanvas(width, height).getContext("2d", { alpha: false, willReadFrequently: true });
  if (!canvas) throw new Error("there is no canvas to draw on");
  canvas.drawImage(frame, 0, 0, width, height);
  return canvas.getImageData(0, 0, width, height);
}

import { decodeYuv, type Matrix, planesOf, type YuvFrame } from "./yuv.ts";

/** The planes of a frame as they are; undefined when it has none, but colours already. */
export async function readYuv(frame: VideoFrame): Promise<YuvFrame | undefined> {
  const { format } = frame;
  const size = sizeOf(frame);
  if (format !== "I420" && format !== "NV12") return undefined;
  const bytes = new Uint8Array(frame.allocationSize());
  const layout = await frame.copyTo(bytes);
  return { bytes, ...size, ...planesOf(format, layout) };
}

/** The picture of a frame. Without a matrix the browser converts it, which is right for frames that have colours. */
export async function readPicture(frame: VideoFrame, matrix: Matrix | undefined): Promise<ImageData> {
  const yuv = matrix && (await readYuv(frame));
  if (yuv && matrix) return new ImageData(decodeYuv(yuv, matrix), yuv.width, yuv.height);
  const { width, height } = sizeOf(frame);
  const canvas = new OffscreenCanvas(width, height).getContext("2d", { alpha: false, willReadFrequently: true });
  if (!canvas) throw new Error("there is no canvas to draw on");
  canvas.drawImage(frame, 0, 0, width, height);
  return canvas.getImageData(0, 0, width, height);
}

export function sizeOf({ visibleRect, displayWidth, displayHeight }: VideoFrame): { width: number; height: number } {
  return { width: visibleRect?.width ?? displayWidth, height: visibleRect?.height ?? displayHeight };
}

export async function encodePng(picture: ImageData): Promise<Blob> {
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  canvas.getContext("2d", { alpha: false })?.putImageData(picture, 0, 0);
  return canvas.convertToBlob({ type: "image/png" });
}

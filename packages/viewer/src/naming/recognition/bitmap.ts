/** Grey pixels, one byte each, row by row. */
export type Bitmap = { data: Uint8Array; width: number; height: number };

export type Box = { left: number; top: number; width: number; height: number };

/** Binary PGM: costs nothing to encode or decode. */
export function encodePgm(bitmap: Bitmap, box: Box): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`P5\n${box.width} ${box.height}\n255\n`);
  const file = new Uint8Array(head.length + box.width * box.height);
  file.set(head);
  for (let row = 0; row < box.height; row++) {
    const from = (box.top + row) * bitmap.width + box.left;
    file.set(bitmap.data.subarray(from, from + box.width), head.length + row * box.width);
  }
  return file;
}

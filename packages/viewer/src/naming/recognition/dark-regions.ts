import type { Bitmap } from "./bitmap.ts";

const CELL = 4;
/** Grey values below this are dark. */
const DARK = 118;
/** Cells to each side: wider than the strokes of a heading, narrower than a button. */
const REACH = 4;
const MIN_DARK_SHARE = 0.5;

/**
 * Inverts light text on dark wherever it is: a dark dialog on a light page, a coloured button. A cell counts as dark if
 * most of its surroundings are dark, so that bold letters do not count.
 */
export function lightenDarkRegions(bitmap: Bitmap): void {
  const columns = Math.ceil(bitmap.width / CELL);
  const rows = Math.ceil(bitmap.height / CELL);
  const sums = summedDarkness(bitmap, columns, rows);
  const inverted = new Uint8Array(columns);
  for (let row = 0; row < rows; row++) {
    const [top, bottom] = [Math.max(0, row - REACH), Math.min(rows, row + REACH + 1)];
    for (let column = 0; column < columns; column++) {
      const [left, right] = [Math.max(0, column - REACH), Math.min(columns, column + REACH + 1)];
      const dark = at(sums, columns, right, bottom) - at(sums, columns, left, bottom);
      const above = at(sums, columns, right, top) - at(sums, columns, left, top);
      const area = (right - left) * (bottom - top) * CELL * CELL;
      inverted[column] = dark - above > area * MIN_DARK_SHARE ? 255 : 0;
    }
    invertRow(bitmap, row, inverted);
  }
}

function at(sums: Uint32Array, columns: number, column: number, row: number): number {
  return sums[row * (columns + 1) + column] ?? 0;
}

/** Dark pixels in the cells above and left of a corner (a summed-area table). */
function summedDarkness({ data, width, height }: Bitmap, columns: number, rows: number): Uint32Array {
  const sums = new Uint32Array((columns + 1) * (rows + 1));
  const counts = new Uint32Array(columns);
  for (let row = 0; row < rows; row++) {
    counts.fill(0);
    for (let y = row * CELL; y < Math.min(height, (row + 1) * CELL); y++) {
      const line = data.subarray(y * width, (y + 1) * width);
      for (let x = 0; x < width; x++)
        if ((line[x] ?? 0) < DARK) counts[(x / CELL) | 0] = (counts[(x / CELL) | 0] ?? 0) + 1;
    }
    let along = 0;
    for (let column = 0; column < columns; column++) {
      along += counts[column] ?? 0;
      sums[(row + 1) * (columns + 1) + column + 1] = at(sums, columns, column + 1, row) + along;
    }
  }
  return sums;
}

function invertRow({ data, width, height }: Bitmap, row: number, inverted: Uint8Array): void {
  for (let y = row * CELL; y < Math.min(height, (row + 1) * CELL); y++) {
    const line = data.subarray(y * width, (y + 1) * width);
    for (let x = 0; x < width; x++) line[x] = (line[x] ?? 0) ^ (inverted[(x / CELL) | 0] ?? 0);
  }
}

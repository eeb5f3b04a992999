import { setImmediate } from "node:timers/promises";
import type { Bitmap } from "./bitmap.ts";

const CELL = 4;
/** Cells to each side. */
const REACH = 3;
/** Less is a grid, a shadow or a gradient, which should stay faint. */
const MIN_CONTRAST = 90;
const FULL_CONTRAST = 230;

/**
 * Makes every background white and all text about equally dark. The engine uses one threshold for the whole picture, so it
 * would see a grey dialog on a white page as a black block.
 */
export async function evenContrast(bitmap: Bitmap): Promise<void> {
  const { data, width, height } = bitmap;
  const columns = Math.ceil(width / CELL);
  const rows = Math.ceil(height / CELL);
  const lightest = new Uint8Array(columns * rows);
  const darkest = new Uint8Array(columns * rows).fill(255);
  for (let y = 0; y < height; y++) {
    const line = data.subarray(y * width, (y + 1) * width);
    const cells = ((y / CELL) | 0) * columns;
    for (let x = 0; x < width; x++) {
      const cell = cells + ((x / CELL) | 0);
      const grey = line[x] ?? 0;
      if (grey > (lightest[cell] ?? 0)) lightest[cell] = grey;
      if (grey < (darkest[cell] ?? 0)) darkest[cell] = grey;
    }
  }
  // Let other work run: a large picture takes a tenth of a second.
  await setImmediate();
  const high = spread(lightest, columns, rows, Math.max);
  const low = spread(darkest, columns, rows, Math.min);
  await setImmediate();
  for (let y = 0; y < height; y++) {
    const line = data.subarray(y * width, (y + 1) * width);
    const cells = ((y / CELL) | 0) * columns;
    for (let x = 0; x < width; x++) {
      const cell = cells + ((x / CELL) | 0);
      const contrast = (high[cell] ?? 255) - (low[cell] ?? 0);
      const gain = contrast < MIN_CONTRAST ? 1 : FULL_CONTRAST / contrast;
      const below = (high[cell] ?? 255) - (line[x] ?? 0);
      line[x] = 255 - Math.min(255, below * gain);
    }
  }
}

/** Gives each cell the lightest or darkest value around it: first along the rows, then along the columns. */
function spread(
  cells: Uint8Array,
  columns: number,
  rows: number,
  pick: (one: number, other: number) => number,
): Uint8Array {
  const along = new Uint8Array(cells.length);
  for (let at = 0; at < cells.length; at++) {
    const column = at % columns;
    let value = cells[at] ?? 0;
    for (let by = Math.max(-REACH, -column); by <= Math.min(REACH, columns - 1 - column); by++)
      value = pick(value, cells[at + by] ?? 0);
    along[at] = value;
  }
  const spreadOut = new Uint8Array(cells.length);
  for (let at = 0; at < cells.length; at++) {
    const row = (at / columns) | 0;
    let value = along[at] ?? 0;
    for (let by = Math.max(-REACH, -row); by <= Math.min(REACH, rows - 1 - row); by++)
      value = pick(value, along[at + by * columns] ?? 0);
    spreadOut[at] = value;
  }
  return spreadOut;
}

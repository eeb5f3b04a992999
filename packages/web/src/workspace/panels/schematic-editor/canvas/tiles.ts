import type { Box } from "@backplane/kicad/drawing";

/** Device pixels. */
export const TILE_PX = 512;
/** A little more than a window needs, so that going back costs nothing. */
const MAX_TILES = 64;

type Tile<Canvas> = { canvas: Canvas; usedAt: number };
export type Part = { x: number; y: number; width: number; height: number };

type Making<Canvas> = {
  /** Device pixels per mm. */
  scale: number;
  make(): Canvas;
  /** Paints the part of the sheet that a tile shows. */
  paint(canvas: Canvas, box: Box): void;
  nowMs(): number;
};

/** A sheet at one scale, painted once in squares; moving over it only copies them. */
export class Tiles<Canvas> {
  readonly #making: Making<Canvas>;
  readonly #tiles = new Map<string, Tile<Canvas>>();
  #turn = 0;

  constructor(making: Making<Canvas>) {
    this.#making = making;
  }

  get scale(): number {
    return this.#making.scale;
  }

  /** Copies what is there, and paints what is missing for at most `budgetMs`. True when nothing is missing. */
  show(part: Part, budgetMs: number, copy: (canvas: Canvas, x: number, y: number) => void): boolean {
    const { make, paint, nowMs, scale } = this.#making;
    const untilMs = nowMs() + budgetMs;
    this.#turn += 1;
    let isWhole = true;
    for (const [column, row] of placesOf(part)) {
      const key = `${column},${row}`;
      let tile = this.#tiles.get(key);
      if (!tile) {
        if (nowMs() >= untilMs) {
          isWhole = false;
          continue;
        }
        tile = { canvas: make(), usedAt: 0 };
        paint(tile.canvas, boxOfTile(column, row, scale));
        this.#tiles.set(key, tile);
      }
      tile.usedAt = this.#turn;
      copy(tile.canvas, column * TILE_PX - part.x, row * TILE_PX - part.y);
    }
    this.#forget();
    return isWhole;
  }

  /** What these boxes of the sheet show is painted again. */
  drop(boxes: readonly Box[]): void {
    for (const key of this.#tiles.keys()) {
      const [column = 0, row = 0] = key.split(",").map(Number);
      const tile = boxOfTile(column, row, this.#making.scale);
      const isTouched = boxes.some(
        (box) => box.left <= tile.right && tile.left <= box.right && box.top <= tile.bottom && tile.top <= box.bottom,
      );
      if (isTouched) this.#tiles.delete(key);
    }
  }

  #forget(): void {
    if (this.#tiles.size <= MAX_TILES) return;
    const oldest = [...this.#tiles].sort(([, a], [, b]) => a.usedAt - b.usedAt);
    for (const [key, { usedAt }] of oldest.slice(0, this.#tiles.size - MAX_TILES))
      if (usedAt !== this.#turn) this.#tiles.delete(key);
  }
}

function placesOf({ x, y, width, height }: Part): [column: number, row: number][] {
  const places: [number, number][] = [];
  for (let row = Math.floor(y / TILE_PX); row * TILE_PX < y + height; row += 1)
    for (let column = Math.floor(x / TILE_PX); column * TILE_PX < x + width; column += 1) places.push([column, row]);
  return places;
}

const boxOfTile = (column: number, row: number, scale: number): Box => {
  const side = TILE_PX / scale;
  return { left: column * side, top: row * side, right: (column + 1) * side, bottom: (row + 1) * side };
};

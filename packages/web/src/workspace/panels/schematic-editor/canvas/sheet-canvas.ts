import { type Box, createSpatialIndex, type Drawn, grown, type SpatialIndex } from "@backplane/kicad/drawing";
import type { Camera } from "./camera.ts";
import { type Brush, type Inks, paint, type View } from "./paint.ts";
import { type Part, TILE_PX, Tiles } from "./tiles.ts";

/** How long one frame may paint what is missing. */
const PAINT_MS = 9;
const GRID_MM = 1.27;
const MIN_GRID_PX = 7;

/** Draws on top of the sheet, in every frame: what is selected, what is being moved, what a tool is doing. */
export type Overlay = (brush: Brush) => void;

type Looks = { inks: Inks; paper: string; grid: string };

/** One sheet on a canvas. There is no element per item: the page stays as quick with 2,000 items as with 20. */
export class SheetCanvas {
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #pictures = new Map<string, ImageBitmap | "loading">();
  #looks: Looks;
  #items: readonly Drawn[] = [];
  #index: SpatialIndex<Drawn> = createSpatialIndex<Drawn>([]);
  #hidden: ReadonlySet<string> = new Set();
  #tiles: Tiles<HTMLCanvasElement> | undefined;
  /** The last whole picture, shown while another scale is being painted. */
  #last: { canvas: HTMLCanvasElement; camera: Camera } | undefined;
  #camera: Camera = { x: 0, y: 0, scale: 1 };
  #overlay: Overlay = () => {};
  #hasGrid = true;
  #request = 0;

  constructor(canvas: HTMLCanvasElement, looks: Looks) {
    this.#canvas = canvas;
    this.#context = contextOf(canvas);
    this.#looks = looks;
  }

  setLooks(looks: Looks): void {
    this.#looks = looks;
    this.#repaintAll();
  }

  /** Paints again only where something is different. */
  setItems(items: readonly Drawn[]): void {
    const before = new Set(this.#items);
    const after = new Set(items);
    const changed = [...this.#items.filter((item) => !after.has(item)), ...items.filter((item) => !before.has(item))];
    this.#items = items;
    this.#index = createSpatialIndex(items);
    this.#drop(changed);
  }

  /** These items are drawn by the overlay instead. */
  setHidden(ids: ReadonlySet<string>): void {
    const changed = this.#items.filter(({ id }) => ids.has(id) !== this.#hidden.has(id));
    this.#hidden = ids;
    this.#drop(changed);
  }

  setOverlay(overlay: Overlay): void {
    this.#overlay = overlay;
    this.#invalidate();
  }

  setGrid(isShown: boolean): void {
    if (isShown === this.#hasGrid) return;
    this.#hasGrid = isShown;
    this.#repaintAll();
  }

  setCamera(camera: Camera): void {
    this.#camera = camera;
    this.#invalidate();
  }

  setSize(width: number, height: number): void {
    this.#canvas.width = Math.round(width * devicePixelRatio);
    this.#canvas.height = Math.round(height * devicePixelRatio);
    this.#last = undefined;
    this.#draw();
  }

  /** What is within this box of the sheet. */
  find(box: Box): Drawn[] {
    return this.#index.find(box);
  }

  dispose(): void {
    cancelAnimationFrame(this.#request);
    for (const picture of this.#pictures.values()) if (picture !== "loading") picture.close();
  }

  #drop(changed: readonly Drawn[]): void {
    this.#tiles?.drop(changed.map(({ box }) => grown(box, 1)));
    this.#invalidate();
  }

  #repaintAll(): void {
    this.#tiles = undefined;
    this.#last = undefined;
    this.#invalidate();
  }

  #invalidate(): void {
    if (this.#request !== 0) return;
    this.#request = requestAnimationFrame(() => {
      this.#request = 0;
      this.#draw();
    });
  }

  #draw(): void {
    const { width, height } = this.#canvas;
    if (width === 0 || height === 0) return;
    const ratio = devicePixelRatio;
    const context = this.#context;
    const scale = this.#camera.scale * ratio;
    const part: Part = { x: Math.round(this.#camera.x * scale), y: Math.round(this.#camera.y * scale), width, height };
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = this.#looks.paper;
    context.fillRect(0, 0, width, height);
    if (this.#tiles?.scale !== scale) this.#tiles = this.#makeTiles(scale);
    const isWhole = this.#copyTiles(this.#tiles, part);
    if (isWhole) this.#keepLast();
    else this.#invalidate();
    const view = { scale, originX: -part.x, originY: -part.y };
    this.#overlay({ context, inks: this.#looks.inks, view, picture: this.#picture });
  }

  #copyTiles(tiles: Tiles<HTMLCanvasElement>, part: Part): boolean {
    const copies: [HTMLCanvasElement, number, number][] = [];
    const isWhole = tiles.show(part, PAINT_MS, (canvas, x, y) => copies.push([canvas, x, y]));
    // Where nothing is painted yet at this scale, the picture of the last one stands in.
    if (!isWhole && this.#last) this.#drawLast(this.#last);
    for (const [canvas, x, y] of copies) this.#context.drawImage(canvas, x, y);
    return isWhole;
  }

  #drawLast({ canvas, camera }: { canvas: HTMLCanvasElement; camera: Camera }): void {
    const ratio = devicePixelRatio;
    const factor = this.#camera.scale / camera.scale;
    const x = (camera.x - this.#camera.x) * this.#camera.scale * ratio;
    const y = (camera.y - this.#camera.y) * this.#camera.scale * ratio;
    this.#context.drawImage(canvas, x, y, canvas.width * factor, canvas.height * factor);
  }

  /** Only when the scale is another one: copying all pixels in every frame of a pan would cost more than it saves. */
  #keepLast(): void {
    if (this.#last?.camera.scale === this.#camera.scale) return;
    const { width, height } = this.#canvas;
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width, height });
    contextOf(canvas).drawImage(this.#canvas, 0, 0);
    this.#last = { canvas, camera: this.#camera };
  }

  #makeTiles(scale: number): Tiles<HTMLCanvasElement> {
    return new Tiles({
      scale,
      make: () => Object.assign(document.createElement("canvas"), { width: TILE_PX, height: TILE_PX }),
      paint: (canvas, box) => {
        const context = contextOf(canvas);
        const view = { scale, originX: -Math.round(box.left * scale), originY: -Math.round(box.top * scale) };
        const brush: Brush = { context, inks: this.#looks.inks, view, picture: this.#picture };
        context.fillStyle = this.#looks.paper;
        context.fillRect(0, 0, TILE_PX, TILE_PX);
        if (this.#hasGrid) drawGrid(context, view, this.#looks.grid);
        for (const item of this.#index.find(grown(box, 1)))
          if (!this.#hidden.has(item.id)) paint(item.primitives, brush);
      },
      nowMs: () => performance.now(),
    });
  }

  /** A picture of the file: undefined until it is decoded, and for good when it cannot be. */
  readonly #picture = (base64: string): ImageBitmap | undefined => {
    const found = this.#pictures.get(base64);
    if (found === undefined) {
      this.#pictures.set(base64, "loading");
      void decodePicture(base64).then((bitmap) => {
        if (!bitmap) return;
        this.#pictures.set(base64, bitmap);
        this.#repaintAll();
      });
    }
    return found === "loading" ? undefined : found;
  };
}

/** Dots at least so far apart that they do not become a grey. */
function drawGrid(context: CanvasRenderingContext2D, { scale, originX, originY }: View, colour: string): void {
  let step = GRID_MM * scale;
  while (step < MIN_GRID_PX * devicePixelRatio) step *= 2;
  context.fillStyle = colour;
  const dot = Math.max(1, Math.round(devicePixelRatio));
  for (let left = Math.ceil(-originX / step); left * step + originX < TILE_PX; left += 1)
    for (let top = Math.ceil(-originY / step); top * step + originY < TILE_PX; top += 1)
      context.fillRect(Math.round(left * step + originX), Math.round(top * step + originY), dot, dot);
}

async function decodePicture(base64: string): Promise<ImageBitmap | undefined> {
  try {
    return await createImageBitmap(new Blob([Uint8Array.fromBase64(base64)]));
  } catch {
    return undefined;
  }
}

/** Where the browser has no graphics card, a canvas in main memory is several times as fast. */
function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("This browser cannot draw on a canvas.");
  return context;
}

import { BoardReader } from "../../workspace/panels/board-viewer/worker/board-reader.ts";

/** Pixels that a picture fits into: twice what it has on the page, for sharp screens. */
const FIT = { width: 400, height: 220 };
const MAX_PX_PER_MM = 120;
/** What is of the front. Drawings for the fab would hide the pads. */
const LAYERS = ["F.Cu", "F.Mask", "F.SilkS", "F.CrtYd"];

/** Paints footprints as the flat view of the viewer for boards does, one after another, in its worker. */
export class FootprintPainter {
  #reader: BoardReader | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** Throws an Error with the reason. */
  paint(bytes: Uint8Array<ArrayBuffer>): Promise<ImageBitmap> {
    const next = this.#last.then(() => this.#paint(bytes));
    this.#last = next.catch(() => {});
    return next;
  }

  close(): void {
    this.#isClosed = true;
    this.#reader?.close();
  }

  async #paint(bytes: Uint8Array<ArrayBuffer>): Promise<ImageBitmap> {
    if (this.#isClosed) throw new Error("The page was left.");
    this.#reader ??= new BoardReader();
    try {
      const { left, top, right, bottom } = (await this.#reader.load(bytes, "footprint")).outline.box;
      const scale = Math.min(FIT.width / (right - left), FIT.height / (bottom - top), MAX_PX_PER_MM);
      const size = { width: Math.ceil((right - left) * scale), height: Math.ceil((bottom - top) * scale) };
      const look = { side: "front", layers: LAYERS, net: -1, isMirrored: false } as const;
      return await this.#reader.ask({ kind: "paint", ...look, ...size, left, top, scale });
    } catch (error) {
      // The next one gets a reader that this one has not hurt.
      this.#reader.close();
      this.#reader = undefined;
      throw error;
    }
  }
}

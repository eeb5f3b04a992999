import type { Board, BoardText } from "@backplane/kicad/board";
import { EM } from "@backplane/kicad/drawing";
import type { Look, PaintOrder } from "./messages.ts";
import { copperInk, drawnInk, holesInk, type Ink, openPadsInk, platePath } from "./paths.ts";

/** Boards look the same in both themes: graphite, so that what shines is the net that was picked. */
const COLOURS = {
  mask: "#252b31",
  maskedCopper: "#363f47",
  laminate: "#57523f",
  copper: "#b57f4e",
  pad: "#cfb27a",
  silk: "#e9e7e1",
  hole: "#0b0d10",
  net: "#ffa25c",
  netBelow: "#ffa25c66",
  inner: ["#5ed0d6a6", "#b9a2ffa6", "#e59ad3a6", "#b7d36ba6"],
  drawing: "#8fa3b5",
} as const;

const TEXT_PX = 100;
const LINE_SPACING = 1.62;

/** Paints pictures of one board. Paths are made once. */
export class Painter {
  readonly #board: Board;
  readonly #inks = new Map<string, Ink>();
  readonly #plate: Path2D;

  constructor(board: Board) {
    this.#board = board;
    this.#plate = platePath(board);
  }

  paint({ width, height, left, top, scale, isMirrored, ...look }: PaintOrder): ImageBitmap {
    const canvas = new OffscreenCanvas(Math.max(1, width), Math.max(1, height));
    // Drawn on the processor: with a software GPU the accelerated canvas is the slow one.
    const brush = canvas.getContext("2d", { willReadFrequently: true });
    if (!brush) throw new Error("There is no canvas.");
    if (isMirrored) brush.setTransform(-scale, 0, 0, scale, width + left * scale, -top * scale);
    else brush.setTransform(scale, 0, 0, scale, -left * scale, -top * scale);
    this.#paint(brush, look);
    return canvas.transferToImageBitmap();
  }

  #paint(brush: OffscreenCanvasRenderingContext2D, look: Look): void {
    const board = this.#board;
    const [here, there] = look.side === "front" ? ["F", "B"] : ["B", "F"];
    const isOn = (layer: string) => look.layers.includes(layer);
    const [copper, mask] = [`${here}.Cu`, `${here}.Mask`];
    const isMasked = isOn(mask);
    brush.fillStyle = isMasked ? COLOURS.mask : COLOURS.laminate;
    brush.fill(this.#plate, "evenodd");
    if (isOn(copper)) this.#copper(copper).draw(brush, isMasked ? COLOURS.maskedCopper : COLOURS.copper);
    this.#texts(brush, copper, isOn, isMasked ? COLOURS.maskedCopper : COLOURS.copper);
    this.#inner(brush, look);
    if (look.net >= 0) this.#net(brush, look.net, look, there);
    for (const name of board.layers.map((layer) => layer.name)) {
      if (!isOn(name) || !isDrawnFrom(name, here) || name === copper) continue;
      const colour = name.endsWith(".SilkS") || name.endsWith(".Silkscreen") ? COLOURS.silk : COLOURS.drawing;
      // Drawings on the mask are openings; what is under them is not painted again.
      if (name !== mask && name !== "Edge.Cuts") this.#ink(name, () => drawnInk(board, name)).draw(brush, colour);
      this.#texts(brush, name, isOn, colour);
    }
    if (isMasked && isOn(copper)) {
      this.#ink(`open ${copper}`, () => openPadsInk(board, mask, copper)).draw(brush, COLOURS.pad);
      if (look.net >= 0) this.#netCopper(look.net, copper).draw(brush, COLOURS.net);
    }
    this.#ink("holes", () => holesInk(board)).draw(brush, COLOURS.hole);
  }

  /** Layers between the sides that are on are drawn over the side that is seen. */
  #inner(brush: OffscreenCanvasRenderingContext2D, { layers }: Look): void {
    const inner = this.#board.layers.filter(({ kind, side }) => kind === "copper" && side === undefined);
    for (const [place, { name }] of inner.entries()) {
      if (layers.includes(name)) this.#copper(name).draw(brush, COLOURS.inner[place % COLOURS.inner.length] ?? "");
    }
  }

  /** What the net has on other layers shines through. */
  #net(brush: OffscreenCanvasRenderingContext2D, net: number, { side }: Look, there: string): void {
    const here = side === "front" ? "F.Cu" : "B.Cu";
    const below = this.#board.layers
      .filter(({ kind, name }) => kind === "copper" && name !== here)
      .map(({ name }) => name);
    for (const layer of below.includes(`${there}.Cu`) ? below : [...below, `${there}.Cu`]) {
      this.#netCopper(net, layer).draw(brush, COLOURS.netBelow);
    }
    this.#netCopper(net, here).draw(brush, COLOURS.net);
  }

  #copper = (layer: string): Ink => this.#ink(layer, () => copperInk(this.#board, layer));

  #netCopper = (net: number, layer: string): Ink => copperInk(this.#board, layer, net);

  #ink(key: string, make: () => Ink): Ink {
    const known = this.#inks.get(key);
    if (known) return known;
    const made = make();
    this.#inks.set(key, made);
    return made;
  }

  #texts(
    brush: OffscreenCanvasRenderingContext2D,
    layer: string,
    isOn: (layer: string) => boolean,
    colour: string,
  ): void {
    if (!isOn(layer)) return;
    brush.fillStyle = colour;
    brush.font = `500 ${TEXT_PX}px ui-monospace, monospace`;
    for (const text of this.#board.texts) if (text.layer === layer) drawText(brush, text);
  }
}

const isDrawnFrom = (layer: string, side: string): boolean => !/^[FB]\./.test(layer) || layer.startsWith(`${side}.`);

function drawText(brush: OffscreenCanvasRenderingContext2D, { at, angle, text, effects }: BoardText): void {
  const { heightMm, widthMm, mirrored, horizontal, vertical } = effects;
  const size = (heightMm * EM) / TEXT_PX;
  const wide = heightMm > 0 ? Math.max(0.2, Math.min(3, widthMm / heightMm)) : 1;
  const lines = text.split("\n");
  const step = (TEXT_PX / EM) * LINE_SPACING;
  const first = { top: TEXT_PX / EM, center: TEXT_PX / EM / 2, bottom: 0 }[vertical];
  const above = { top: 0, center: ((lines.length - 1) * step) / 2, bottom: (lines.length - 1) * step }[vertical];
  brush.save();
  brush.translate(at.x, at.y);
  brush.rotate((-angle * Math.PI) / 180);
  brush.scale((mirrored ? -size : size) * wide, size);
  brush.textAlign = horizontal;
  brush.textBaseline = "alphabetic";
  for (const [place, line] of lines.entries()) brush.fillText(line, 0, first - above + place * step);
  brush.restore();
}

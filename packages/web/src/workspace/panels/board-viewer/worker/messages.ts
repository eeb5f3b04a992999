import type { Hole, Layer, NetFacts, Outline, Part, Side } from "@backplane/kicad/board";
import type { Point } from "@backplane/kicad/schematic";

/** A part under a name of its own: several parts of a board can have the same reference. */
export type NamedPart = Part & { name: string };

/** What the page knows of a board; the worker keeps the rest. */
export type BoardSummary = {
  version: number;
  thicknessMm: number;
  outline: Outline;
  layers: readonly Layer[];
  parts: readonly NamedPart[];
  pads: readonly { name: string; part: number; net: number; at: Point }[];
  nets: readonly NetFacts[];
  holes: readonly Hole[];
  trackCount: number;
  viaCount: number;
  notes: readonly string[];
};

/** What is painted of a board. */
export type Look = {
  side: Side;
  /** Names of the layers that are on. */
  layers: readonly string[];
  /** A place in the list of nets that is highlighted; -1: none. */
  net: number;
};

/** A picture of a part of the board: `scale` pixels per mm; `left` and `top` in mm. Seen from the back, x is mirrored. */
export type PaintOrder = Look & {
  width: number;
  height: number;
  left: number;
  top: number;
  scale: number;
  isMirrored: boolean;
};

export type PlaceOrder = Look & { at: Point; withinMm: number };
export type Place = { kind: string; net: number; part: number };

/** Each order has a number, and is answered with it. */
export type Order =
  | { kind: "load"; bytes: Uint8Array<ArrayBuffer>; what: "board" | "footprint" }
  | ({ kind: "paint" } & PaintOrder)
  | ({ kind: "find" } & PlaceOrder)
  | { kind: "snap"; at: Point; withinMm: number };

export type Answers = {
  load: BoardSummary;
  paint: ImageBitmap;
  find: Place | undefined;
  snap: Point;
};

export type OrderMessage = { id: number; order: Order };
export type AnswerMessage = { id: number; answer: unknown } | { id: number; fault: string };

import type { Box } from "../drawing/primitives.ts";
import type { Point } from "../schematic/geometry.ts";
import type { TextEffects } from "../schematic/shapes.ts";

/** All places are millimetres of the board, y downwards, as seen from the front. */
export type Side = "front" | "back";

export type LayerKind = "copper" | "mask" | "silk" | "paste" | "courtyard" | "fabrication" | "outline" | "drawing";

export interface Layer {
  /** KiCad's own name, such as `F.Cu`. */
  readonly name: string;
  readonly kind: LayerKind;
  /** Undefined: between the sides, or of no side. */
  readonly side: Side | undefined;
  /** What the people of the board call it. */
  readonly userName: string | undefined;
}

/** A line or an area. `widthMm` is the width of its line, which is drawn around a filled area as well. */
export interface Stroke {
  readonly points: readonly Point[];
  readonly widthMm: number;
  readonly isFilled: boolean;
}

export interface Graphic extends Stroke {
  readonly layer: string;
}

/** `net` is a place in the board's list of nets; -1: none. */
export interface Track {
  readonly layer: string;
  readonly points: readonly Point[];
  readonly widthMm: number;
  readonly net: number;
}

export interface Via {
  readonly at: Point;
  readonly sizeMm: number;
  readonly drillMm: number;
  /** Copper layers that it reaches. */
  readonly layers: readonly string[];
  readonly net: number;
}

/** Round, or a slot that is turned by `angle` degrees. */
export interface Hole {
  readonly at: Point;
  readonly widthMm: number;
  readonly heightMm: number;
  readonly angle: number;
}

export interface Pad {
  readonly name: string;
  /** A place in the board's list of parts. */
  readonly part: number;
  readonly at: Point;
  readonly layers: ReadonlySet<string>;
  readonly strokes: readonly Stroke[];
  readonly hole: Hole | undefined;
  readonly net: number;
}

export interface Zone {
  readonly layer: string;
  readonly net: number;
  readonly priority: number;
  readonly areas: readonly (readonly Point[])[];
  /** Older files leave half of this at every edge of the areas to a line. */
  readonly edgeMm: number;
}

export interface BoardText {
  readonly layer: string;
  readonly at: Point;
  /** Degrees, anticlockwise. */
  readonly angle: number;
  readonly text: string;
  readonly effects: TextEffects;
}

/** The file of a 3D model as the board names it, and how it is put on the footprint. */
export interface PartModel {
  readonly path: string;
  readonly offsetMm: readonly [number, number, number];
  readonly scale: readonly [number, number, number];
  readonly rotate: readonly [number, number, number];
}

/** A rectangle that is turned around its middle by `angle` degrees, anticlockwise. */
export interface Yard {
  readonly at: Point;
  readonly widthMm: number;
  readonly heightMm: number;
  readonly angle: number;
}

export interface Part {
  readonly reference: string;
  readonly value: string;
  /** The name of its footprint in a library. */
  readonly footprint: string;
  readonly side: Side;
  readonly at: Point;
  readonly angle: number;
  /** The room that it takes: its courtyard, else what is drawn of it. Undefined when there is neither. */
  readonly yard: Yard | undefined;
  readonly models: readonly PartModel[];
  /** Whether something stands there. Logos and the contacts of an edge are only drawn: nobody places them, and they have no model. */
  readonly hasBody: boolean;
  readonly padCount: number;
}

export interface Outline {
  readonly solids: readonly { readonly points: readonly Point[]; readonly holes: readonly (readonly Point[])[] }[];
  readonly box: Box;
}

/** One `.kicad_pcb` file, read for its meaning. */
export interface Board {
  readonly version: number;
  readonly generator: string;
  readonly thicknessMm: number;
  readonly layers: readonly Layer[];
  readonly nets: readonly string[];
  readonly outline: Outline;
  readonly parts: readonly Part[];
  readonly pads: readonly Pad[];
  readonly tracks: readonly Track[];
  readonly vias: readonly Via[];
  /** In the order in which they are drawn. */
  readonly zones: readonly Zone[];
  readonly graphics: readonly Graphic[];
  readonly texts: readonly BoardText[];
  /** What could not be taken as it is in the file, in words. */
  readonly notes: readonly string[];
}

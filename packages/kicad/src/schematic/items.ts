import type { List } from "../sexpr/index.ts";
import type { Field } from "./fields.ts";
import type { Mirror, Point, Transform } from "./geometry.ts";
import type { LibraryPart, LibraryPin, LibrarySymbol } from "./library.ts";
import type { Fill, Shape, Stroke, Text, TextBox } from "./shapes.ts";

interface Placed {
  readonly node: List;
  /** Empty in files that do not give this kind of item one. */
  readonly uuid: string;
}

export interface PlacedPin {
  readonly pin: LibraryPin;
  readonly number: string;
  /** These three are those of the alternate function, where one is chosen. */
  readonly name: string;
  readonly type: string;
  readonly shape: string;
  /** Where wires connect, on the sheet. */
  readonly at: Point;
  /** Where the pin meets the body. */
  readonly inner: Point;
  readonly hidden: boolean;
}

/** What a symbol is called where its sheet is used. A sheet that is used twice gives its symbols two references. */
export interface SymbolInstance {
  readonly project: string;
  readonly path: string;
  readonly reference: string;
  readonly unit: number;
  /** The list `(path …)`. */
  readonly node: List;
}

export interface PlacedSymbol extends Placed {
  readonly kind: "symbol";
  readonly libId: string;
  /** The name of its definition in this file, where that is not `libId`. */
  readonly libName: string | undefined;
  readonly at: Point;
  readonly angle: number;
  readonly mirror: Mirror | undefined;
  readonly unit: number;
  readonly bodyStyle: number;
  readonly inBom: boolean;
  readonly onBoard: boolean;
  readonly doNotPopulate: boolean;
  readonly excludedFromSimulation: boolean;
  readonly fields: readonly Field[];
  readonly instances: readonly SymbolInstance[];
  /** Undefined when the file has no definition for it. */
  readonly library: LibrarySymbol | undefined;
  /** What is drawn for its unit and body style. */
  readonly parts: readonly LibraryPart[];
  readonly pins: readonly PlacedPin[];
  readonly transform: Transform;
}

export interface Line<Kind extends "wire" | "bus" = "wire" | "bus"> extends Placed {
  readonly kind: Kind;
  readonly start: Point;
  readonly end: Point;
  readonly stroke: Stroke;
}

export interface BusEntry extends Placed {
  readonly kind: "bus_entry";
  readonly at: Point;
  readonly size: Point;
  /** The other end: at + size. */
  readonly end: Point;
  readonly stroke: Stroke;
}

export interface Junction extends Placed {
  readonly kind: "junction";
  readonly at: Point;
  /** 0 means the default. */
  readonly diameterMm: number;
}

export interface NoConnect extends Placed {
  readonly kind: "no_connect";
  readonly at: Point;
}

export interface Label extends Placed, Text {
  readonly kind: "label";
  /** A directive label (a net class flag) names no net. */
  readonly scope: "local" | "global" | "hierarchical" | "directive";
  /** input, output, bidirectional, tri_state, passive; of directives dot, round, diamond, rectangle. */
  readonly shape: string | undefined;
  readonly fields: readonly Field[];
}

export interface SheetPin extends Text {
  readonly uuid: string;
  readonly name: string;
  readonly shape: string;
}

export interface Sheet extends Placed {
  readonly kind: "sheet";
  readonly at: Point;
  readonly size: Point;
  readonly name: string;
  /** As written: relative to the folder of the file that has this sheet. */
  readonly file: string;
  readonly fields: readonly Field[];
  readonly pins: readonly SheetPin[];
  readonly stroke: Stroke;
  readonly fill: Fill;
  /** Page numbers by path of the parent, since KiCad 7. */
  readonly pages: ReadonlyMap<string, string>;
}

export type FreeText = Placed & Text & { readonly kind: "text" };
export type FreeTextBox = Placed & TextBox & { readonly kind: "text_box" };
export type Drawing = Placed & { readonly kind: "shape"; readonly drawing: Shape };

export interface Image extends Placed {
  readonly kind: "image";
  /** Its center. */
  readonly at: Point;
  readonly scale: number;
}

export interface RuleArea extends Placed {
  readonly kind: "rule_area";
  readonly outline: readonly Point[];
  readonly stroke: Stroke;
  readonly fill: Fill;
}

export interface Table extends Placed {
  readonly kind: "table";
  readonly cells: readonly TextBox[];
}

export type Item =
  | PlacedSymbol
  | Line<"wire">
  | Line<"bus">
  | BusEntry
  | Junction
  | NoConnect
  | Label
  | Sheet
  | FreeText
  | FreeTextBox
  | Drawing
  | Image
  | RuleArea
  | Table;

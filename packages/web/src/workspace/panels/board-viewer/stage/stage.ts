import type { Side } from "@backplane/kicad/board";
import type { Point } from "@backplane/kicad/schematic";

/** What is measured: from one place to another, which follows. */
export type Measured = { from: Point; to: Point | undefined };

/** What a stage shows besides the board itself. */
export type Marks = {
  /** A place in the list of parts; -1: none. */
  part: number;
  measured: Measured | undefined;
};

export type StageEvents = {
  /** Somebody pressed on a place of the board. `withinMm`: how near is meant. `part`: a body that was hit, or -1. */
  onPress(at: Point, withinMm: number, part: number): void;
  /** The view has another picture: labels are placed again. */
  onMoved(): void;
};

/** The board in three dimensions, or flat. */
export type BoardStage = {
  /** Which side is seen; in three dimensions it is turned to the front. */
  setSide(side: Side): void;
  setMarks(marks: Marks): void;
  zoom(steps: number): void;
  fit(): void;
  /** Brings a place into view. */
  reveal(at: Point): void;
  /** Where a place of the board is in pixels of the stage; undefined: behind the board. */
  pixelOf(at: Point, heightMm: number, side: Side): Point | undefined;
  /** A key was pressed; true when it did something. */
  press(key: string, isShifted: boolean): boolean;
  picture(): Promise<Blob | null>;
  dispose(): void;
};

/** A press that moves less is a click. */
export const CLICK_PX = 4;
export const NEAR_PX = 6;

/** What is nearer than this to an edge of the view is brought to its middle. */
const EDGE_PX = 16;

export const isInView = (pixel: Point | undefined, { width, height }: { width: number; height: number }): boolean =>
  pixel !== undefined &&
  pixel.x >= EDGE_PX &&
  pixel.y >= EDGE_PX &&
  pixel.x <= width - EDGE_PX &&
  pixel.y <= height - EDGE_PX;

export const ARROWS: Readonly<Record<string, readonly [sideways: number, upwards: number]>> = {
  ...{ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] },
};

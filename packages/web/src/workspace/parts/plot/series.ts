import type { Buckets, Reader } from "./envelope.ts";
import type { Painter } from "./paint.ts";
import type { Track } from "./track.ts";

export type PlotSeries = {
  key: string;
  label: string;
  /** The colour and dash, counted from 1. A series keeps it while others are hidden. */
  slot: number;
  track: Track;
  read: Reader;
  /** What is plotted of a field, when it is not the field itself: for its history. */
  convert?: (value: number) => number;
  /** A sample without this value breaks the line: the device looked, and there was nothing. */
  isBroken?: boolean;
  isShown: boolean;
  /** Its device is there: a value that does not change is drawn on. */
  isReady: boolean;
  /** What was before the first sample. */
  history?: Buckets | undefined;
};

export type Limit = {
  value: number;
  words: (value: number) => string;
  /** It can be dragged, in steps of this size. */
  step?: number;
  onMove?: (value: number) => void;
};

/** What has one unit: one y axis above or below the others, on the same time. */
export type PlotLane = {
  unit: string;
  series: readonly PlotSeries[];
  limits?: readonly Limit[];
  /** Everything above the first limit has the ground of an alarm. */
  hasAlarm?: boolean;
  /** Of the height that all lanes share. */
  weight?: number;
  /** Names at the ends of the lines. */
  hasNames?: boolean;
  thousands?: boolean;
  /** The y axis shows at least this much: noise is not drawn as if it were news. */
  minSpan?: number;
  /** What the panel draws itself: below the lines, above them. */
  under?: (painter: Painter) => void;
  over?: (painter: Painter) => void;
};

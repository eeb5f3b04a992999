import type { Marks } from "./paint.ts";
import type { Range } from "./range.ts";

export type PlotCommand =
  | { do: "move"; by: number; isLarge: boolean }
  | { do: "cursor"; place: 0 | 1 }
  | { do: "select" | "zoom-selection" | "clear" | "zoom-in" | "zoom-out" | "zoom-reset" | "fit" | "pause" }
  | { do: "toggle"; series: number; isAlone: boolean };

type Pressed = { key: string; shiftKey: boolean; altKey: boolean; ctrlKey: boolean; metaKey: boolean; code: string };

const PLAIN: Record<string, PlotCommand> = {
  s: { do: "select" },
  enter: { do: "zoom-selection" },
  escape: { do: "clear" },
  "+": { do: "zoom-in" },
  "=": { do: "zoom-in" },
  "-": { do: "zoom-out" },
  "0": { do: "zoom-reset" },
  f: { do: "fit" },
  " ": { do: "pause" },
};

/** What a key does in a plot; undefined: nothing. */
export function plotCommand({ key, shiftKey, altKey, ctrlKey, metaKey, code }: Pressed): PlotCommand | undefined {
  if (ctrlKey || metaKey) return undefined;
  // With Alt, some systems type another character than the digit.
  const digit = /^Digit([1-8])$/.exec(code)?.[1];
  if (digit !== undefined && !shiftKey) return { do: "toggle", series: Number(digit) - 1, isAlone: altKey };
  if (altKey) return undefined;
  if (key === "ArrowLeft" || key === "ArrowRight") {
    return { do: "move", by: key === "ArrowLeft" ? -1 : 1, isLarge: shiftKey };
  }
  if (key.toLowerCase() === "c") return { do: "cursor", place: shiftKey ? 1 : 0 };
  return PLAIN[key.toLowerCase()];
}

const ZOOM = 2;

/** Zooms around the cursor, or the newest time. */
export function zoomed([fromMs, toMs]: Range, aroundMs: number | undefined, isIn: boolean): Range {
  const factor = isIn ? 1 / ZOOM : ZOOM;
  const around = aroundMs ?? toMs;
  return [around - (around - fromMs) * factor, around + (toMs - around) * factor];
}

export function withCursor({ cursors }: Marks, place: 0 | 1, tMs: number): number[] {
  const [first = tMs, second] = cursors;
  if (place === 0) return second === undefined ? [tMs] : [tMs, second];
  return [first, tMs];
}
